"""Schema migrations of the mirror, safe for concurrent clients."""

import re
from typing import TYPE_CHECKING

from mind.storage.mirror.postgres import MirrorRefused

if TYPE_CHECKING:
    from mind.storage.mirror.postgres import Connection


VERSION = 1
EXTENSION = "vector"
"""Extension of the server that the tables need."""
LOCK = 0x4D494E44
"""Advisory lock held during migrations."""

_TABLES = """
CREATE SCHEMA IF NOT EXISTS mind;
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE mind.version (
  number int PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE mind.team (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);
CREATE TABLE mind.member (
  team int NOT NULL REFERENCES mind.team ON DELETE CASCADE,
  role name NOT NULL,
  PRIMARY KEY (team, role)
);
CREATE TABLE mind.project (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team int NOT NULL REFERENCES mind.team,
  key text NOT NULL,                    -- mirror.project: the same in every clone
  name text NOT NULL,
  documents bigint NOT NULL DEFAULT 0,  -- entries, and terms of all of them, for the ranking
  length bigint NOT NULL DEFAULT 0,
  UNIQUE (team, key),
  UNIQUE (team, number)
);
CREATE TABLE mind.clone (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team int NOT NULL,
  project bigint NOT NULL,
  key text NOT NULL,                    -- of a folder on a machine
  place text NOT NULL,                  -- for people: what it is called
  stamp text NOT NULL DEFAULT '',       -- another one after every batch
  seen timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (team, project) REFERENCES mind.project (team, number) ON DELETE CASCADE,
  UNIQUE (project, key),
  UNIQUE (team, number)
);
CREATE TABLE mind.entry (
  number bigint GENERATED ALWAYS AS IDENTITY,
  team int NOT NULL,
  project bigint NOT NULL,
  id text NOT NULL,
  hash text NOT NULL,                   -- of everything but line and start
  kind text NOT NULL,
  day text NOT NULL,                    -- ISO, '' when unknown
  status text NOT NULL,
  language text NOT NULL,
  family text NOT NULL,
  path text NOT NULL,
  line int NOT NULL,
  start int NOT NULL,
  body text NOT NULL,
  terms text NOT NULL,                  -- in order, as the local index has them
  title int NOT NULL,
  length int NOT NULL,                  -- how many terms
  payload text NOT NULL,
  things text[] NOT NULL,
  before text[] NOT NULL,               -- ids of what stands around it
  after text[] NOT NULL,
  tags text[] NOT NULL,                 -- folded, as filters compare them
  sections text[] NOT NULL,
  words tsvector NOT NULL,              -- terms, =things, @project and #team
  PRIMARY KEY (team, number),
  FOREIGN KEY (team, project) REFERENCES mind.project (team, number) ON DELETE CASCADE,
  UNIQUE (project, id, hash)
);
CREATE INDEX entry_words ON mind.entry USING gin (words);
CREATE INDEX entry_day ON mind.entry (project, day DESC);
ALTER TABLE mind.entry ALTER COLUMN words SET STATISTICS 1000;
CREATE TABLE mind.holding (             -- which clone has which content of an entry now
  team int NOT NULL,
  clone bigint NOT NULL,
  id text NOT NULL,
  entry bigint NOT NULL,
  PRIMARY KEY (clone, id),
  FOREIGN KEY (team, clone) REFERENCES mind.clone (team, number) ON DELETE CASCADE,
  FOREIGN KEY (team, entry) REFERENCES mind.entry (team, number)
);
CREATE INDEX holding_entry ON mind.holding (team, entry);
CREATE TABLE mind.profile (             -- an embedding model; its vectors are in vector_NUMBER
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  dimension int NOT NULL
);
"""

_RIGHTS = """
CREATE FUNCTION mind.teams() RETURNS int[] LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog AS $$
  SELECT coalesce(array_agg(team), '{}') FROM mind.member WHERE role = session_user
$$;

CREATE FUNCTION mind.reach(of_team int, chosen bigint[]) RETURNS tsquery
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  -- what entries of these projects have among their words, or of the whole team if none is chosen;
  -- both at once would take twenty times as long, since all entries of the team have its word
  SELECT coalesce(CASE WHEN chosen IS NULL
    THEN (SELECT format('''#%s''', one) FROM unnest(mind.teams()) AS one WHERE one = of_team)
    ELSE (SELECT string_agg(format('''@%s''', p.number), '|') FROM mind.project p
      WHERE p.number = ANY (chosen) AND p.team = of_team AND p.team = ANY (mind.teams()))
  END, '''#none''')::tsquery
$$;

DO $$
DECLARE here text;
BEGIN
  FOREACH here IN ARRAY ARRAY['project', 'clone', 'entry', 'holding'] LOOP
    EXECUTE format('ALTER TABLE mind.%I ENABLE ROW LEVEL SECURITY', here);
    EXECUTE format('CREATE POLICY teams ON mind.%I '
      'USING (team = ANY ((SELECT mind.teams())::int[])) '
      'WITH CHECK (team = ANY ((SELECT mind.teams())::int[]))', here);
  END LOOP;
  ALTER TABLE mind.team ENABLE ROW LEVEL SECURITY;
  CREATE POLICY teams ON mind.team FOR SELECT USING (number = ANY ((SELECT mind.teams())::int[]));
  ALTER TABLE mind.member ENABLE ROW LEVEL SECURITY;
END $$;

CREATE FUNCTION mind.admit(who name, to_team text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog AS $$
DECLARE here text;
BEGIN
  INSERT INTO mind.team (name) VALUES (to_team) ON CONFLICT DO NOTHING;
  INSERT INTO mind.member SELECT number, who FROM mind.team WHERE name = to_team
    ON CONFLICT DO NOTHING;
  EXECUTE format('GRANT USAGE ON SCHEMA mind TO %I', who);
  EXECUTE format('GRANT SELECT ON mind.version, mind.team, mind.profile TO %I', who);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON mind.project, mind.clone, mind.entry, '
    'mind.holding TO %I', who);
  FOR here IN SELECT 'vector_' || number FROM mind.profile LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON mind.%I TO %I', here, who);
  END LOOP;
  EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA mind TO %I', who);
  EXECUTE format('REVOKE EXECUTE ON FUNCTION mind.admit, mind.dismiss FROM %I', who);
END $$;

CREATE FUNCTION mind.dismiss(who name, from_team text) RETURNS void LANGUAGE sql
SET search_path = pg_catalog AS $$
  DELETE FROM mind.member m USING mind.team t
  WHERE m.team = t.number AND t.name = from_team AND m.role = who
$$;

CREATE FUNCTION mind.add_profile(called text, size int) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  made int;
  here text;
  vector_type text;
  ops text;
  one name;
BEGIN
  SELECT number INTO made FROM mind.profile WHERE name = called AND dimension = size;
  IF made IS NOT NULL THEN RETURN made; END IF;
  IF cardinality(mind.teams()) = 0 OR length(called) NOT BETWEEN 1 AND 300
     OR size NOT BETWEEN 1 AND 4000 OR (SELECT count(*) FROM mind.profile) >= 100 THEN
    RAISE EXCEPTION 'no profile % of % dimensions can be added', called, size;
  END IF;
  PERFORM pg_advisory_xact_lock(0x4D494E44);
  INSERT INTO mind.profile (name, dimension) VALUES (called, size) ON CONFLICT DO NOTHING
    RETURNING number INTO made;
  IF made IS NULL THEN
    SELECT number INTO made FROM mind.profile WHERE name = called AND dimension = size;
    IF made IS NULL THEN
      RAISE EXCEPTION 'profile % has another dimension here', called;
    END IF;
    RETURN made;
  END IF;
  here := 'vector_' || made;
  SELECT format('%I.halfvec', n.nspname), format('%I.halfvec_cosine_ops', n.nspname)
    INTO vector_type, ops
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector';
  EXECUTE format('CREATE TABLE mind.%I (team int NOT NULL, project bigint NOT NULL, '
    'entry bigint NOT NULL, embedding %s(%s) NOT NULL, PRIMARY KEY (team, entry), '
    'FOREIGN KEY (team, entry) REFERENCES mind.entry (team, number) ON DELETE CASCADE)',
    here, vector_type, size);
  EXECUTE format('CREATE INDEX %I ON mind.%I (project)', here || '_project', here);
  EXECUTE format('CREATE INDEX %I ON mind.%I USING hnsw (embedding %s)',
    here || '_near', here, ops);
  EXECUTE format('ALTER TABLE mind.%I ENABLE ROW LEVEL SECURITY', here);
  EXECUTE format('CREATE POLICY teams ON mind.%I '
    'USING (team = ANY ((SELECT mind.teams())::int[])) '
    'WITH CHECK (team = ANY ((SELECT mind.teams())::int[]))', here);
  FOR one IN SELECT DISTINCT role FROM mind.member LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON mind.%I TO %I', here, one);
  END LOOP;
  RETURN made;
END $$;
"""

PASSES = """
  (chosen IS NULL OR e.project = ANY (chosen))
  AND (kinds IS NULL OR e.kind = ANY (kinds))
  AND (families IS NULL OR e.family = ANY (families))
  AND (languages IS NULL OR e.language = ANY (languages))
  AND (ids IS NULL OR e.id = ANY (ids))
  AND (tagged IS NULL OR e.tags && tagged)
  AND (muted IS NULL OR NOT e.tags && muted)
  AND (section IS NULL OR section = ANY (e.sections))
  AND (state IS NULL OR e.status = state)
  AND (since IS NULL OR e.day >= since)
  AND (until IS NULL OR e.day BETWEEN '0' AND until)
"""
"""Condition that ``mind.entry e`` passes the filters, which are parameters of these names."""

_SEARCH = f"""
CREATE FUNCTION mind.frequency(
  wanted tsquery[], of_team int, chosen bigint[], most bigint
) RETURNS bigint[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE reached tsquery := mind.reach(of_team, chosen);
BEGIN
  RETURN (SELECT array_agg((SELECT count(*) FROM (
    SELECT 1 FROM mind.entry e WHERE e.words @@ (reached && one) LIMIT most
  ) AS found) ORDER BY at) FROM unnest(wanted) WITH ORDINALITY AS each (one, at));
END $$;

CREATE FUNCTION mind.shares(wanted text[]) RETURNS real[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT array_agg(coalesce(known.share, 0) ORDER BY at)
  FROM unnest(wanted) WITH ORDINALITY AS each (term, at) LEFT JOIN (
    SELECT u.term, u.share FROM pg_stats s, unnest(s.most_common_elems::text::text[],
      s.most_common_elem_freqs) AS u (term, share)
    WHERE s.schemaname = 'mind' AND s.tablename = 'entry' AND s.attname = 'words'
  ) AS known ON known.term = each.term
$$;

CREATE FUNCTION mind.matching(
  match tsquery, wanted tsquery[], weights float8[], average float8, of_team int, chosen bigint[],
  kinds text[], families text[], languages text[], ids text[], tagged text[], muted text[],
  section text, state text, since text, until text, most int
) RETURNS TABLE (found bigint, score float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE reached tsquery := mind.reach(of_team, chosen) && match;
BEGIN
  RETURN QUERY SELECT e.number, (
    SELECT sum(weight) FROM unnest(wanted, weights) AS of (one, weight) WHERE e.words @@ one
  ) / (1.3 + 0.9 * e.length / average) AS reckoned
  FROM mind.entry e WHERE e.words @@ reached AND {PASSES}
  ORDER BY reckoned DESC NULLS LAST, e.number LIMIT most;
END $$;

CREATE FUNCTION mind.latest(
  chosen bigint[], kinds text[], families text[], languages text[], ids text[], tagged text[],
  muted text[], section text, state text, since text, until text, most int
) RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT e.number FROM mind.entry e WHERE e.team = ANY (mind.teams()) AND {PASSES}
  ORDER BY e.day DESC, e.number DESC LIMIT most
$$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA mind FROM PUBLIC;
"""

_VECTORS = re.compile("vector_[0-9]+")
_FUNCTIONS = re.findall(r"CREATE FUNCTION mind\.(\w+)", _RIGHTS + _SEARCH)
_COLUMNS = {
    "vector": frozenset("team project entry embedding".split()),
    **{
        name: frozenset(re.findall(r"(?m)^  ([a-z]+) ", columns))
        for name, columns in re.findall(r"(?s)CREATE TABLE mind\.(\w+) \((.*?)\n\);", _TABLES)
    },
}
"""Columns of each table of version 1, which identify the table."""
_NEEDED = _COLUMNS.keys() - {"vector", "version"}

STEPS: tuple[str, ...] = (_TABLES + _RIGHTS + _SEARCH,)
"""Migration to version 1, 2 …, each one transaction."""


def version(connection: "Connection") -> int:
    """Number of the last migration; 0 in an empty database."""
    if "version" not in _tables(connection):
        return 0
    row = connection.execute("SELECT coalesce(max(number), 0) FROM mind.version").fetchone()
    return int(row[0]) if row else 0


def _tables(connection: "Connection") -> set[str]:
    """Existing tables that Mind made, known by their columns.

    Read from the catalogue, because to_regclass may return results cached before this session
    waited for the lock.
    """
    return {name for name, is_own in _relations(connection).items() if is_own}


def _relations(connection: "Connection") -> dict[str, bool]:
    """Tables, views, sequences and types of the schema; True for tables that Mind made."""
    rows = connection.execute(
        "SELECT relname, relkind = 'r', ARRAY(SELECT attname::text FROM pg_attribute "
        "WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'mind' AND relkind NOT IN ('i', 'I') AND NOT (relkind = 'S' AND EXISTS ("
        "SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid "
        "AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'i'))"  # of identity columns
    )
    found = {}
    for name, is_table, columns in rows:
        ours = _COLUMNS.get("vector" if _VECTORS.fullmatch(name) else name)
        found[name] = bool(is_table and ours and ours.issubset(columns))
    return found


def ensure(connection: "Connection", team: str) -> None:
    """Apply missing migrations, and check that this login belongs to the team.

    Concurrent clients are safe: one migrates, the others wait. Only the owner of the database, or
    a login that may create objects in it, can migrate; other logins need a current schema.

    Raises:
        MirrorRefused: Migrations are missing and this login may not run them, the schema is from a
            newer Mind, or the login is not a member of the team.
    """
    if _checked(version(connection)) < VERSION or not _is_whole(connection):
        _make(connection, team)
    if _team(connection, team) is None and _is_owner(connection):
        connection.execute("SELECT mind.admit(session_user, %s)", (team,))
    team_number(connection, team)


def _make(connection: "Connection", team: str) -> None:
    with connection.transaction():
        connection.execute("SET LOCAL lock_timeout = 0")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        done = _checked(version(connection))
        _require_vectors(connection)
        members: list[tuple[str, str]] = []
        if not done or not _is_whole(connection):
            _refuse_foreign(connection)
            members = _members(connection)
            _drop(connection)
            done = 0
        for number, step in enumerate(STEPS[done:], done + 1):
            connection.execute(step.encode())
            connection.execute("INSERT INTO mind.version (number) VALUES (%s)", (number,))
        for role, of in members:
            connection.execute("SELECT mind.admit(%s, %s)", (role, of))
        if not done:
            connection.execute("SELECT mind.admit(session_user, %s)", (team,))


def _require_vectors(connection: "Connection") -> None:
    """Check that the server has pgvector.

    Raises:
        MirrorRefused: It does not.
    """
    known = connection.execute(
        "SELECT count(*) FROM pg_available_extensions WHERE name = %s", (EXTENSION,)
    ).fetchone()
    if not (known and known[0]):
        raise MirrorRefused(
            "the mirror's server has no pgvector",
            remedy="Install pgvector 0.8 or later on the server, for example the package "
            "postgresql-17-pgvector.",
        )


def _refuse_foreign(connection: "Connection") -> None:
    """Refuse to replace a schema that has tables or views of somebody else.

    Raises:
        MirrorRefused: It has.
    """
    foreign = sorted(name for name, is_own in _relations(connection).items() if not is_own)
    if foreign:
        raise MirrorRefused(
            f"the schema mind of this database has tables that Mind did not make: {foreign[0]}",
            remedy="Use another database (`CREATE DATABASE`), or rename that schema.",
        )


def _drop(connection: "Connection") -> None:
    """Drop Mind's tables and functions.

    The schema stays, and so does pgvector in it: tables elsewhere in the database may use it.

    Raises:
        MirrorRefused: Something that Mind did not make depends on them.
    """
    tables = ", ".join(f"mind.{name}" for name in sorted(_tables(connection)))
    functions = connection.execute(
        "SELECT p.oid::regprocedure::text FROM pg_proc p "
        "JOIN pg_namespace n ON n.oid = p.pronamespace "
        "WHERE n.nspname = 'mind' AND proname = ANY (%s)",
        (_FUNCTIONS,),
    ).fetchall()
    if tables:
        connection.execute(f"DROP TABLE {tables}".encode())
    for (function,) in functions:
        connection.execute(f"DROP FUNCTION {function}".encode())


def _members(connection: "Connection") -> list[tuple[str, str]]:
    """Team members: if tables were dropped, only these could not be sent again."""
    if not _tables(connection) >= {"member", "team"}:
        return []
    rows = connection.execute(
        "SELECT m.role::text, t.name FROM mind.member m JOIN mind.team t ON t.number = m.team "
        "JOIN pg_roles r ON r.rolname = m.role"
    )
    return [(role, team) for role, team in rows]


def _is_whole(connection: "Connection") -> bool:
    """True if all tables exist, including those of the vectors."""
    there = _tables(connection)
    if not there >= _NEEDED:
        return False
    rows = connection.execute("SELECT number FROM mind.profile")
    return there >= {f"vector_{number}" for (number,) in rows}


def _checked(found: int) -> int:
    if found > VERSION:
        raise MirrorRefused(
            f"the mirror has schema {found}, and this Mind knows {VERSION}",
            remedy="Install the newer Mind here too; until then the local index answers.",
        )
    return found


def _team(connection: "Connection", team: str) -> int | None:
    row = connection.execute("SELECT number FROM mind.team WHERE name = %s", (team,)).fetchone()
    member = connection.execute("SELECT mind.teams()").fetchone()
    return int(row[0]) if row and member and row[0] in member[0] else None


def _is_owner(connection: "Connection") -> bool:
    row = connection.execute(
        "SELECT pg_has_role(session_user, nspowner, 'MEMBER') FROM pg_namespace "
        "WHERE nspname = 'mind'"
    ).fetchone()
    return bool(row and row[0])


def team_number(connection: "Connection", team: str) -> int:
    """Number of a team that this login belongs to.

    Raises:
        MirrorRefused: It does not belong to the team.
    """
    found = _team(connection, team)
    if found is None:
        raise MirrorRefused(
            f"your login is no member of the team {team!r}",
            remedy=f"Ask the owner of the database for: SELECT mind.admit('LOGIN', '{team}')",
        )
    return found
