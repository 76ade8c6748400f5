"""What is derived: the index, the vectors in it, and the models that make them."""

from contextlib import closing
from functools import partial

from mind.domain.errors import ModelError
from mind.memory import sync
from mind.search.embedding import checksums, installed
from mind.search.semantic import NO_MODEL, OFF, Meaning
from mind.setup.doctor.finding import Finding, Mending, broken, fine, several, warning
from mind.setup.doctor.site import Site
from mind.storage.home import home
from mind.storage.index import Index, discard


def index(site: Site) -> Finding:
    """Whether the index is a sound one of this version."""
    if not site.index.exists():
        return fine("there is none yet; the first call makes it")
    found = site.soundness
    if found.busy:
        return fine("not looked at: another process writes it, or it is read-only")
    if found.fault:
        severity = warning if found.outdated else broken
        return severity(
            f"{site.name(site.index)} {found.fault}",
            "Run `mind index --rebuild`; nothing is lost, the files are the memory.",
            Mending("make it anew from the files", partial(_made_anew, site)),
        )
    return fine(f"sound, with {found.entries:,} entries")


def _made_anew(site: Site) -> None:
    discard(site.index)
    with closing(Index(site.index)) as fresh:
        fresh.sure(lambda: sync.refresh(site.project, fresh))


def vectors(site: Site) -> Finding:
    """Whether search can go by meaning too."""
    meaning = Meaning(site.project.settings, home())
    if not meaning.profile:
        with closing(Index(None)) as nothing:
            return _without(meaning.lacking(nothing))
    if not site.index.exists() or site.soundness.fault or site.soundness.busy:
        return fine(f"none yet of {meaning.profile}")
    with closing(Index(site.index)) as opened:
        there, texts = opened.sure(lambda: opened.count_vectors(meaning.profile))
    told = f"{there:,} of {texts:,} texts have one of {meaning.profile}"
    if texts and not there:
        return warning(told, "Run `mind index`; words alone are compared until then.")
    return fine(told)


def _without(reason: str) -> Finding:
    if reason in (NO_MODEL, OFF):
        return fine(f"none, so words alone are compared: {reason}")
    said, _, remedy = reason.partition(". ")
    return warning(f"words alone are compared: {said}", remedy or "Run `mind models`.")


def models(site: Site) -> Finding:
    """Whether every model is what was installed; ``quick`` trusts what was checked before."""
    found, faults = installed.installed(home())
    for model in found:
        memo = installed.memo(home(), model.folder.name)
        try:
            checksums.check(
                model.folder,
                model.manifest,
                model.manifest.files,
                memo=memo if site.quick else None,
            )
        except ModelError as error:
            name = model.folder.name
            remedy = (
                f"It is not used. Run `mind models remove {name}`, then "
                f"`mind models add {_origin(model.manifest.source)} --name {name}`."
            )
            faults.append(ModelError(error.message, remedy=remedy))
    if faults:
        return broken("; ".join(error.message for error in faults), faults[0].remedy)
    if not found:
        return fine("none is installed")
    return fine(several([f"{one.folder.name} ({one.size // 1_000_000} MB)" for one in found]))


def _origin(source: str) -> str:
    """What to type for where a model came from: ``folder:PATH``, ``package:NAME==1.0``, ``hub:…``.

    Of the hub it is OWNER/MODEL@REVISION, in the middle of an address.
    """
    kind, _, place = source.partition(":")
    if kind == "package":
        return place.partition("==")[0]
    if kind == "hub":
        model, _, revision = place.strip("/").partition("/resolve/")
        return "/".join(model.split("/")[-2:]) + (f"@{revision}" if revision else "")
    return place or "SOURCE"
