-- The first schema. No FOREIGN KEY, no index and no SEQUENCE: under ATTACH they refuse honest updates or
-- bind to the alias. Relations are checked by `doctor`; numbers come from `counters`.

CREATE TABLE ark.meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL);

CREATE TABLE ark.counters (name VARCHAR NOT NULL, value BIGINT NOT NULL);
INSERT INTO ark.counters VALUES ('change', 0), ('document', 0), ('chunk', 0);

-- A collection follows a folder (its root) or holds text without a file (root is null).
CREATE TABLE ark.collections (name VARCHAR NOT NULL, root VARCHAR, scanned TIMESTAMP);
INSERT INTO ark.collections VALUES ('default', NULL, NULL);

-- What the last scan of a root saw of each file. A file without a document has a reason.
CREATE TABLE ark.files (
    folder VARCHAR NOT NULL,        -- the collection whose root it lies under
    path VARCHAR NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    inode BIGINT NOT NULL,
    scanned_ns BIGINT NOT NULL,
    hash VARCHAR NOT NULL,
    state VARCHAR NOT NULL,         -- indexed, skipped, failed
    reason VARCHAR NOT NULL         -- for an indexed file: what was odd about it, or nothing
);

CREATE TABLE ark.documents (
    number BIGINT NOT NULL,
    id VARCHAR NOT NULL,
    collection VARCHAR NOT NULL,    -- what `in:` asks for
    folder VARCHAR NOT NULL,        -- whose root it lies under; the same but for items that name another
    path VARCHAR NOT NULL,
    item VARCHAR NOT NULL,          -- which document of a file that holds several
    title VARCHAR NOT NULL,
    titled BOOLEAN NOT NULL,        -- the title comes from the content, not from the file's name
    type VARCHAR NOT NULL,
    tier VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    date DATE,
    date_source VARCHAR NOT NULL,
    source VARCHAR NOT NULL,        -- what it is a part of, and its place therein
    place BIGINT,
    source_id VARCHAR NOT NULL,
    hash VARCHAR NOT NULL,          -- of the file's bytes
    body VARCHAR NOT NULL,
    added TIMESTAMP NOT NULL,
    changed TIMESTAMP NOT NULL,
    gone TIMESTAMP                  -- its file went away; kept so that it is known again when it comes back
);

CREATE TABLE ark.chunks (
    number BIGINT NOT NULL,
    document BIGINT NOT NULL,
    ordinal INTEGER NOT NULL,
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    heading VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    language VARCHAR NOT NULL,
    text_hash VARCHAR NOT NULL
);

CREATE TABLE ark.tags (document BIGINT NOT NULL, tag VARCHAR NOT NULL, origin VARCHAR NOT NULL);

CREATE TABLE ark.links (
    document BIGINT NOT NULL,
    relation VARCHAR NOT NULL,
    target VARCHAR NOT NULL,        -- as it is written, without the heading
    anchor VARCHAR NOT NULL,        -- the heading that it points at
    line INTEGER NOT NULL,
    origin VARCHAR NOT NULL,
    name VARCHAR NOT NULL,          -- the target as `names` would have it; empty for a period
    resolved BIGINT                 -- the one document it leads to; it stays when that is renamed or gone
);

-- What a link may call a document; among several that bear a name, the lowest rank is meant.
CREATE TABLE ark.names (
    document BIGINT NOT NULL,
    collection VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    rank TINYINT NOT NULL
);

-- Derived from the links of that name: documents that are hidden, and what has taken their place.
CREATE TABLE ark.superseded (document BIGINT NOT NULL, successor BIGINT NOT NULL);

-- The change log: one row per chunk, its latest change. The followers read it from their mark on.
CREATE TABLE ark.changes (chunk BIGINT NOT NULL, number BIGINT NOT NULL, gone BOOLEAN NOT NULL);
