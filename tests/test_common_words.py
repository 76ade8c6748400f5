"""Words and names that much of a memory is about warn of nothing."""

import pytest

from mind.memory.memory import Memory
from mind.text.matching import acts
from mind.text.matching.candidates import weights
from tests.catalogue import Catalogue

CRON = "Cron expressions as a second way to define jobs. Two grammars for the same thing."
NOTES = [
    f"{what} {which} the scheduler when a job is {done} by run_pending()"
    for what in ("The lock", "The log line", "The hook", "The counter")
    for which in ("wakes", "skips", "slows down", "reaches")
    for done in ("cancelled", "repeated", "late")
]


def warned(catalogue: Catalogue, said: str, *, repeats: bool = True) -> list[str]:
    met = catalogue.met(acts.of_prose(said, repeats=repeats))
    return [one.row["id"] for one in met if one.score >= weights()["least"]]


def test_a_synonym_whose_words_are_everywhere_in_the_memory_is_no_repeat(memory: Memory) -> None:
    for note in NOTES:
        memory.log(note, "learning")
    memory.log(CRON, "rejected")
    other = "A weak reference from the scheduler to its jobs. They vanished at once."
    assert memory.log(other, "rejected").loops == ()
    (loop,) = memory.log("Crontab syntax for jobs. Nobody can read it.", "rejected").loops
    assert loop.earlier.text == CRON


def test_in_a_memory_about_something_else_the_synonym_is_a_repeat() -> None:
    known = Catalogue([("a", "rejected", CRON)])
    assert warned(known, "A scheduler for the jobs. One more service.") == ["a"]


def test_a_keyword_whose_words_are_everywhere_in_the_memory_is_no_repeat(memory: Memory) -> None:
    copied = "Making schedule.jobs a function that returns a copy. An admin page sorts the list."
    for note in NOTES:
        memory.log(note, "learning")
    memory.log(copied, "rejected", keywords=["schedule.jobs", "jobs scheduler"])
    other = "A lock around each of the scheduler's jobs. It was slower by a tenth."
    assert memory.log(other, "rejected").loops == ()
    (loop,) = memory.log("schedule.jobs as a property, which copies", "rejected").loops
    assert loop.earlier.text == copied


RUNNER = ("a", "rejected", "An async run_pending(). Half of the package would exist twice.")


def test_a_function_that_many_entries_name_is_not_what_one_of_them_rejects() -> None:
    other = "Sleeping until the next second inside run_pending(). Callers have a loop of their own."
    listed = [(f"n{at}", "learning", text) for at, text in enumerate(NOTES)]
    assert warned(Catalogue([RUNNER]), other) == ["a"]
    known = Catalogue([RUNNER, *listed])
    assert warned(known, other) == []
    assert warned(known, "An asynchronous run_pending(), again twice the code.") == ["a"]


def test_of_circumstances_only_a_name_that_few_entries_have_is_what_is_rejected() -> None:
    entry = ("a", "rejected", "Checking all the rows in Clickhouse. Takes minutes.")
    said = "Counting tenants with Clickhouse. Nobody looks at it."
    assert warned(Catalogue([entry]), said) == ["a"]
    uses = [("b", "learning", f"Clickhouse has {number} shards") for number in ("two", "six")]
    assert warned(Catalogue([entry, *uses]), said) == []


def test_the_reasons_of_a_new_rejection_repeat_none() -> None:
    known = Catalogue([("a", "rejected", "A feature flag for dry runs. A list is enough.")])
    said = "Vendoring the zones. The scanner would raise a flag with each release."
    assert warned(known, said) == []
    assert warned(known, "Feature flags once more: nobody cleans them up.") == ["a"]


REDIS = ("a", "rejected", "Redis for the tile cache. One more server to run.")


@pytest.mark.parametrize(
    "said",
    [
        "Tried once more: Redis for the tile cache",
        "Offline tiles: Redis. Still one more server.",
        "Second attempt, Redis as the tile cache - still one more server",
        "For offline use, Redis to cache tiles - nobody runs it",
        "We looked at this again. Redis as the tile cache is one more server.",
        "To save memory - the tile cache in Redis",
        "Tile cache → Redis, one more server",
    ],
)
def test_a_rejection_after_a_label_or_its_circumstances_repeats_an_earlier_one(said: str) -> None:
    assert warned(Catalogue([REDIS]), said) == ["a"]


@pytest.mark.parametrize(
    "said",
    [
        "Memcached on each machine - costs the same as Redis",
        "No favourites - Redis would have to keep them",
        "The importer of styles. It would need Redis.",
    ],
)
def test_a_reason_that_names_what_another_entry_rejects_repeats_nothing(said: str) -> None:
    assert warned(Catalogue([REDIS]), said) == []


def test_of_a_subject_that_the_whole_memory_has_the_circumstances_tell_what_is_rejected() -> None:
    plugin = ("a", "rejected", "Tessella as a plugin of OpenLayers. Their releases would bind us.")
    plan = "make Tessella an OpenLayers plugin"
    assert warned(Catalogue([plugin], "tessella"), plan, repeats=False) == ["a"]
    tiles = [(f"n{at}", "learning", f"Tile {at} is drawn in {at} ms") for at in range(60)]
    bucket = ("b", "rejected", "Storing tiles in buckets, one object each. Listing took a day.")
    known = Catalogue([bucket, *tiles])
    assert warned(known, "One bucket object per tile", repeats=False) == ["b"]
    assert warned(known, "Draw each tile once", repeats=False) == []


TILES = [
    (f"n{at}", "learning", f"Tile {at} asks the worker for {at} layers of the map, from its cache")
    for at in range(60)
]


@pytest.mark.parametrize(
    ("entry", "act", "is_warned"),
    [
        ("Cache layers in the worker. Memory.", "Let the worker cache the layers", True),
        ("Cache layers in the worker. Memory.", "Count the layers in the worker", False),
        ("Map layers as tiles. Seams.", "Layers of the map become tiles", True),
        ("Map layers as tiles. Seams.", "Draw tiles of the map", False),
        ("Tile cache. Memory.", "Clear the cache if a tile changes", False),
    ],
)
def test_words_that_the_whole_memory_has_warn_together(
    entry: str, act: str, is_warned: bool
) -> None:
    known = Catalogue([("a", "rejected", entry), *TILES])
    assert warned(known, act, repeats=False) == ["a"] * is_warned
    assert warned(known, f"{entry} Tried once more.") == ["a"]


def test_code_of_words_that_the_whole_memory_has_warns() -> None:
    known = Catalogue([("a", "rejected", "tileCache() in the worker. Slow."), *TILES])

    def met(code: str) -> list[str]:
        found = known.met(acts.of_edit("a.ts", code))
        return [one.row["id"] for one in found if one.score >= weights()["least"]]

    assert met("const found = tileCache();") == ["a"]
    assert met("const found = cache.of(tile);") == []


def test_a_clause_that_removes_something_proposes_none_of_it() -> None:
    known = Catalogue([("a", "rejected", "Retries in the client. They hid the outage.")])
    said = "The mirror works again; removed the retries from the client."
    assert warned(known, said, repeats=False) == []
    assert warned(known, "The mirror is slow; added retries to the client", repeats=False) == ["a"]


@pytest.mark.parametrize(
    ("plan", "is_warned"),
    [
        ("Render the page; read the tiles as GeoJSON", True),
        ("Add a button, then change the tiles into GeoJSON", True),
        ("Set up the server. Get the tiles as GeoJSON", True),
        ("Drop the old format. Add GeoJSON tiles", True),
        ("Clean the importer and use GeoJSON for tiles", True),
        ("Render the page; remove the GeoJSON tiles", False),
        ("Read the GeoJSON tiles and compare the sizes", False),
    ],
)
def test_a_clause_goes_on_with_what_one_before_proposed(plan: str, is_warned: bool) -> None:
    known = Catalogue([("a", "rejected", "GeoJSON as the tile format. Too large.")])
    assert warned(known, plan, repeats=False) == ["a"] * is_warned


@pytest.mark.parametrize("example", ["as in PostgreSQL", "wie in PostgreSQL"])
def test_an_example_is_not_what_is_rejected(example: str) -> None:
    known = Catalogue([("a", "rejected", f"Nested comments {example}. Others do not nest.")])
    assert warned(known, "PostgreSQL's reading wins where dialects differ", repeats=False) == []


def test_a_short_beginning_of_a_long_word_is_another_word() -> None:
    known = Catalogue([("a", "rejected", "multiprocessing in the formatter. Slow on Windows.")])
    assert warned(known, "Title case for multi-word keywords. A change of output.") == []
    assert warned(known, "Multiprocess pools for the files. Slow on Windows.") == ["a"]


def test_a_plan_is_shown_a_related_rejection_among_many(memory: Memory) -> None:
    entry = "Deriving a new error class from ScheduleError. A customer catches that and clears all."
    others = [f"Library number {at} for part {at} of the application" for at in range(120)]
    with memory.project.memory.open("a", encoding="utf-8") as file:
        file.write("\n".join(["", "## Rejected", *(f"- {one}" for one in [entry, *others]), ""]))
    plan = "Add an error class for too many jobs"
    assert [one.text for one in memory.edges(plan).perhaps] == [entry]


def test_notes_written_later_weigh_words_as_if_they_had_been_there(memory: Memory) -> None:
    memory.log("Tile cache in Redis. One more server to run.", "rejected")
    plan = "Raise the size of the tile cache to 128 MB"
    assert memory.edges(plan).loops
    for at in range(60):
        memory.log(f"Tile {at} left the cache after {at} seconds", "learning")
    kept = memory.edges(plan)
    memory.index.clear()
    assert (kept.loops, memory.edges(plan).loops) == ((), ())
    assert memory.edges("put the tile cache into Redis").loops
