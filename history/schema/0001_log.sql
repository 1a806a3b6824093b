-- The log. Everything else in this file but pruned and imports can be made
-- again from it.
CREATE TABLE records (
  session  TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  wall     INTEGER NOT NULL, -- nanoseconds since 1970, UTC
  elapsed  INTEGER NOT NULL, -- nanoseconds of session time
  kind     TEXT    NOT NULL,
  task     INTEGER NOT NULL,
  exchange INTEGER NOT NULL,
  body     BLOB    NOT NULL,
  raw      BLOB,             -- NULL for records that have no wire bytes
  body_sha BLOB    NOT NULL,
  raw_sha  BLOB    NOT NULL,
  hash     BLOB    NOT NULL,
  redacted INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX records_by_seq ON records (session, seq);

-- The few records that the archive itself reads.
CREATE INDEX records_said ON records (session, seq) WHERE kind IN ('trust', 'decision', 'push');

-- One row: the session that prune is deleting, within prune's own transaction.
CREATE TABLE control (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  pruning TEXT
) STRICT;
INSERT INTO control (one, pruning) VALUES (1, NULL);

CREATE TRIGGER records_never_change BEFORE UPDATE ON records
BEGIN
  SELECT RAISE(ABORT, 'records are append-only');
END;

CREATE TRIGGER records_never_go BEFORE DELETE ON records
WHEN OLD.session IS NOT (SELECT pruning FROM control)
BEGIN
  SELECT RAISE(ABORT, 'records are append-only');
END;

-- Projection: a session in one row. records and head are the head of its
-- chain, and rebuild never moves them.
CREATE TABLE sessions (
  id           TEXT    PRIMARY KEY,
  peer         TEXT    NOT NULL,
  peer_name    TEXT    NOT NULL,
  card_version TEXT    NOT NULL,
  typed        TEXT    NOT NULL,
  origin       TEXT    NOT NULL,
  started      INTEGER NOT NULL,
  last         INTEGER NOT NULL,
  records      INTEGER NOT NULL,
  head         BLOB    NOT NULL,
  pushed       INTEGER NOT NULL, -- 1 once a delivery with our token came in
  summary      TEXT    NOT NULL  -- JSON
) STRICT;
CREATE INDEX sessions_by_start ON sessions (started, id);
CREATE INDEX sessions_by_peer ON sessions (peer, started);

-- Projection: the newest session of each peer.
CREATE TABLE peers (
  peer         TEXT    NOT NULL,
  origin       TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  card_version TEXT    NOT NULL,
  typed        TEXT    NOT NULL,
  first        INTEGER NOT NULL,
  last         INTEGER NOT NULL,
  sessions     INTEGER NOT NULL,
  session      TEXT    NOT NULL, -- the newest
  profile      TEXT    NOT NULL, -- JSON
  PRIMARY KEY (peer, origin)
) STRICT;

-- Projection: the decisions of field sessions.
CREATE TABLE trust (
  session      TEXT    NOT NULL,
  seq          INTEGER NOT NULL,
  id           INTEGER NOT NULL,
  peer         TEXT    NOT NULL,
  card_version TEXT    NOT NULL,
  claim        TEXT    NOT NULL,
  action       TEXT    NOT NULL,
  by           TEXT    NOT NULL,
  at           INTEGER NOT NULL,
  reason       TEXT    NOT NULL,
  until        INTEGER,          -- NULL: for ever
  supersedes   INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT;
CREATE INDEX trust_by_peer ON trust (peer, card_version, at);

-- What was pruned, and that it was there.
CREATE TABLE pruned (
  session TEXT    NOT NULL,
  peer    TEXT    NOT NULL,
  started INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  records INTEGER NOT NULL,
  head    BLOB    NOT NULL,
  at      INTEGER NOT NULL
) STRICT;

-- Which sessions came from elsewhere: their own records do not say so.
CREATE TABLE imports (
  session  TEXT    PRIMARY KEY,
  original TEXT    NOT NULL,
  at       INTEGER NOT NULL,
  done     INTEGER NOT NULL
) STRICT;
