"""Words that look like names and are none."""

from typing import Final

NOT_ACRONYMS: Final = frozenset(
    """ok no not and or but if do is it in on at to of by as be we us he me my so up go an am pm a
    id all any are can did for get has had how its let may new now off old one our out own put
    run say see set she the too two use was way who why will you your yes only must never always
    todo fixme note xxx hack warning warn error info debug important done wip tbd asap fyi aka eta
    imo btw please stop this that with from when what then than them they here have each every
    before after until should shall could would very don does doing make made pr mr ii iii iv
    vi vii""".split()
)
"""Shouted words: in capitals for emphasis, or marks of a comment."""

_FUNCTION_WORDS = """i a about above after again against all also although always am an and
    another any are as at avoid back be because been before behind being below besides best
    between both but by can check could currently decide despite did do does done down due during
    each either else enough even ever every everything except few finally first following for
    from further get given good had has have having he hence her here hers his how however if
    in indeed inside instead into is it its just keep last later least less let like likely look
    low made main make many may maybe me might more most much must my need neither never new next
    no nobody none nor not note nothing now of off often ok old on once one only onto or other
    others otherwise our ours out outside over own per perhaps please possibly previously quite
    rather real really same second see self several shall she should since so some something
    sometimes soon still such than thanks that the their theirs them then there therefore these
    they thing things third this those though three through thus till to today together tomorrow
    too toward two under unless unlike until up upon us usually very via was we well were what
    whatever when whenever where whereas wherever whether which while who whole whom whose why
    will with within without would yes yesterday yet you your yours hello hey hi oh wow yeah sure
    mr mrs ms dr"""
_CALENDAR = """monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
    thurs fri sat sun january february march april june july august september october november
    december jan feb mar apr jun jul aug sep sept oct nov dec"""
_IMPERATIVES = """accept access adapt add adjust align allow apply ask assert assign assume attach
    avoid block break bring build bump bypass cache call cap capture cast catch change choose
    clarify clean clear close collect combine commit compare compile compute configure connect
    consider convert copy correct count cover create cut deal debug declare default define delay
    delete deny deploy deprecate detect determine disable discard document download drop dump
    edit emit enable encode enforce ensure escape evaluate exclude execute expand explain export
    expose extend extract fail fall fetch filter find finish fix flush fold follow force format
    generate give go group guard handle hide hold ignore implement import improve include
    increase init initialise initialize inline insert inspect install integrate introduce
    investigate invoke join launch leave limit link list load lock log lower manage map mark
    match measure merge migrate mock modify mount move name normalise normalize notify omit open
    optimise optimize pack parse pass patch pick pin point populate port prefer prepare prevent
    print process propagate protect prove provide publish pull purge push put query queue raise
    read rebase rebuild record redirect reduce refactor refer refresh register reject release
    reload remember remind remove rename render reopen repair repeat replace report request
    require reset resolve respect restart restore restrict retry return reuse revert review
    rewrite roll rotate run save say scan schedule search select send separate serve set share
    ship show shut sign simplify skip sort speed split standardise start stop store stream strip
    suppress support swap switch sync take target tell test throw tidy track treat trigger trim
    try tune turn tweak type undo unify unset update upgrade upload use validate verify wait walk
    want warn watch wire work wrap write"""
_LABELS = """action alternative alternatives answer assumption background benefit blocked blocker
    blockers bug cause caveat changes cons consequence consequences context date decided decision
    decisions details description error example expected experience feature finding fixed gist
    goal goals gotcha gotchas idea impact info issue key learned learning lesson lessons mood
    notes open option options outcome plan problem problems progress pros question rationale
    reason reasoning rejected result results risk root rule scope session solution source state
    status step steps summary task tasks tip title todo topic tried update updates warning
    workaround wrong"""

NOT_NAMES: Final = frozenset(f"{_FUNCTION_WORDS} {_CALENDAR} {_IMPERATIVES} {_LABELS}".split())
"""Words with a capital because they begin a sentence or stand in the calendar, folded."""

NOUNS_HAVE_CAPITALS: Final = frozenset(
    """der die das und ist nicht ein eine einen mit für auf dem den des wird werden wurde von zu
    sind auch aber oder wir haben""".split()
)
"""German gives every noun a capital; two of these words tell German."""

FILES: Final = frozenset(
    """bash bat bib c cc cfg cjs class clj conf cpp cs css csv cts d dart db dll dockerfile erl ex
    exe exs fish gif go gradle graphql gz h hcl hpp hs html htm ico ini ipynb jar java jl jpeg jpg
    js json jsonl jsx kt less lock lua md mdc mdx mjs ml mts ndjson nim nix parquet pdf php pl png
    proto ps1 py pyc pyi pyx rb rs rst sass scala scss sh sql sqlite svelte svg swift tar tf tgz
    toml ts tsv tsx txt vue wasm webp whl xml yaml yml zig zip zsh""".split()
)
"""Extensions of files; ``log``, ``env`` and ``key`` are left out, which are attributes too."""

FOLDERS: Final = frozenset(
    """. .. ~ src lib libs doc docs test tests spec specs app apps api bin cmd pkg packages
    internal scripts tools config configs etc usr var opt tmp home dev proc node_modules dist
    build target vendor templates static public assets components pages migrations examples
    fixtures bench crates modules include""".split()
)
"""Folders that a path of nothing but words may begin with."""

DOMAINS: Final = frozenset("com org net edu gov ai dev".split())

VERSIONED: Final = frozenset(
    """version versions release releases ver python node ruby php go golang java django rails
    react postgres postgresql mysql sqlite ubuntu debian macos ios android kernel typescript
    upgrade""".split()
)
"""Words beside which "3.11" is a version and not a number."""
