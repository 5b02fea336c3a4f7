-- Memory: layers on documents, messages, the scratchpad, tasks, and what was made use of.

ALTER TABLE ark.documents ADD COLUMN layer TINYINT DEFAULT 0;    -- 0: a document of a folder
ALTER TABLE ark.documents ADD COLUMN since TIMESTAMP;            -- when it came to its layer
ALTER TABLE ark.documents ADD COLUMN agent VARCHAR DEFAULT '';   -- whose memory it is
ALTER TABLE ark.documents ADD COLUMN session VARCHAR DEFAULT '';

-- `history` and `memory` are collections of our own: a folder followed under such a name gets another one.
UPDATE ark.files SET folder = folder || '-folder' WHERE folder IN
    (SELECT name FROM ark.collections WHERE name = 'history' OR (name = 'memory' AND root IS NOT NULL));
UPDATE ark.names SET collection = collection || '-folder' WHERE collection IN
    (SELECT name FROM ark.collections WHERE name = 'history' OR (name = 'memory' AND root IS NOT NULL));
UPDATE ark.documents SET folder = folder || '-folder' WHERE folder IN
    (SELECT name FROM ark.collections WHERE name = 'history' OR (name = 'memory' AND root IS NOT NULL));
UPDATE ark.documents SET collection = collection || '-folder' WHERE collection IN
    (SELECT name FROM ark.collections WHERE name = 'history' OR (name = 'memory' AND root IS NOT NULL));
UPDATE ark.collections SET name = name || '-folder' WHERE name = 'history'
    OR (name = 'memory' AND root IS NOT NULL);

-- Why an item changed its tier or its layer; `was` and `became` are names of tiers or numbers of layers.
CREATE TABLE ark.moves (
    document BIGINT NOT NULL,
    axis VARCHAR NOT NULL,          -- tier, layer, status
    was VARCHAR NOT NULL,
    became VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    agent VARCHAR NOT NULL,
    moment TIMESTAMP NOT NULL
);

-- A conversation is named by its id within its agent and session; its number is its own for ever.
INSERT INTO ark.counters VALUES ('conversation', 0), ('message', 0);
CREATE TABLE ark.conversations (
    number BIGINT NOT NULL,
    agent VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    id VARCHAR NOT NULL,
    created TIMESTAMP NOT NULL,
    last INTEGER NOT NULL,          -- the last sequence number that was given out
    query VARCHAR NOT NULL          -- the query id of the latest message
);

-- A message is a document of layer 1; here is what it is besides its text.
CREATE TABLE ark.messages (
    document BIGINT NOT NULL,
    conversation BIGINT NOT NULL,
    sequence INTEGER NOT NULL,
    query VARCHAR NOT NULL,
    role VARCHAR NOT NULL,
    moment TIMESTAMP NOT NULL
);

-- The change log of messages: as `changes`, which the other indexes follow.
CREATE TABLE ark.message_changes (chunk BIGINT NOT NULL, number BIGINT NOT NULL, gone BOOLEAN NOT NULL);

-- Every value that a key of the scratchpad has had, by version from 1; the last one counts.
CREATE TABLE ark.scratch (
    agent VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    key VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    value VARCHAR NOT NULL,
    deleted BOOLEAN NOT NULL,       -- this version says that the key was deleted
    moment TIMESTAMP NOT NULL
);

CREATE TABLE ark.tasks (
    agent VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    id INTEGER NOT NULL,            -- counts from 1 in its scope, never given twice
    text VARCHAR NOT NULL,
    state VARCHAR NOT NULL,         -- open, done, deleted
    due VARCHAR NOT NULL,           -- a date, a time in UTC, or nothing; ISO 8601
    tags VARCHAR[] NOT NULL,
    place DOUBLE NOT NULL,          -- the order of the list
    created TIMESTAMP NOT NULL,
    changed TIMESTAMP NOT NULL
);

-- Hits that were opened, copied or cited, by whom.
CREATE TABLE ark.accesses (
    agent VARCHAR NOT NULL,
    document BIGINT NOT NULL,
    kind VARCHAR NOT NULL,          -- opened, copied, cited
    retrieval VARCHAR NOT NULL,     -- the search that had listed it; empty where there was none
    moment TIMESTAMP NOT NULL
);
