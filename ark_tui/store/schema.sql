-- The whole schema. No FOREIGN KEY, no index and no SEQUENCE: under ATTACH they refuse honest updates or
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

-- Texts are compressed by Zstandard: DuckDB leaves texts of less than 4,096 characters as they are, and
-- builds a dictionary for repetitive ones that takes a second for 1,600 of them, at each checkpoint.
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
    body VARCHAR USING COMPRESSION zstd NOT NULL,
    added TIMESTAMP NOT NULL,
    changed TIMESTAMP NOT NULL,
    gone TIMESTAMP,                 -- its file went away; kept so that it is known again when it comes back
    layer TINYINT DEFAULT 0,        -- 0: a document of a folder
    since TIMESTAMP,                -- when it came to its layer
    agent VARCHAR DEFAULT '',       -- whose memory it is
    session VARCHAR DEFAULT '',
    owner VARCHAR DEFAULT '',       -- empty: everybody's
    project VARCHAR DEFAULT ''      -- empty: of every project
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

-- Searches that were run, and the documents that they listed.
CREATE TABLE ark.searches (
    id VARCHAR NOT NULL,            -- the retrieval id
    query VARCHAR NOT NULL,
    profile VARCHAR NOT NULL,
    parameters VARCHAR NOT NULL,    -- JSON: the whole request, and the profile as it was
    model VARCHAR NOT NULL,         -- fingerprint of the vectors
    change BIGINT NOT NULL,         -- the state of the corpus
    moment TIMESTAMP NOT NULL
);
CREATE TABLE ark.answers (
    search VARCHAR NOT NULL,
    rank INTEGER NOT NULL,
    document VARCHAR NOT NULL,      -- ids, since documents may go and come back
    chunk VARCHAR NOT NULL,
    score DOUBLE NOT NULL
);

-- Memory: messages, the scratchpad, tasks, and what was used.

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
    query VARCHAR NOT NULL,         -- the query id of the latest message
    title VARCHAR DEFAULT '',
    closed BOOLEAN DEFAULT false,   -- nothing more is expected
    looked INTEGER DEFAULT 0,       -- consolidation has read up to this sequence number
    tries INTEGER DEFAULT 0         -- how often it has failed to go on
);

-- A message is a document of layer 1; here is what it is besides its text.
CREATE TABLE ark.messages (
    document BIGINT NOT NULL,
    conversation BIGINT NOT NULL,
    sequence INTEGER NOT NULL,
    query VARCHAR NOT NULL,
    role VARCHAR NOT NULL,
    moment TIMESTAMP NOT NULL,
    name VARCHAR DEFAULT '',        -- of the participant or the tool
    tool_call_id VARCHAR DEFAULT '',    -- the call that this is the result of
    key VARCHAR DEFAULT '',         -- the client's id, unique in a conversation
    given VARCHAR DEFAULT ''        -- JSON: any other fields of the message
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

-- What a program said of a text that it handed in, as JSON; a text without any has no row.
CREATE TABLE ark.metadata (document BIGINT NOT NULL, value VARCHAR NOT NULL);

-- What a person has said of documents. It lies over what their files say, and stays when those change.
CREATE TABLE ark.said (
    document BIGINT NOT NULL,       -- 0: of no document
    aspect VARCHAR NOT NULL,        -- tag, tier, pin, link, unlink, trash, note, judge, settled, saved
    key VARCHAR NOT NULL,           -- which tag, link, query, name
    value VARCHAR NOT NULL,
    own VARCHAR                     -- what would hold if the person had said nothing
);

-- Every edit with its inverse, which is its strokes read backwards.
CREATE TABLE ark.edits (
    number BIGINT NOT NULL,
    moment TIMESTAMP NOT NULL,
    who VARCHAR NOT NULL,
    what VARCHAR NOT NULL,          -- "tagged 3 documents with draft"
    inverse VARCHAR NOT NULL,       -- "untagged 3 documents"
    state VARCHAR NOT NULL          -- done; undone: can be redone; dropped: another edit came after it
);
CREATE TABLE ark.strokes (
    edit BIGINT NOT NULL,
    place INTEGER NOT NULL,
    document BIGINT NOT NULL,
    aspect VARCHAR NOT NULL,
    key VARCHAR NOT NULL,
    before VARCHAR,                 -- null: nothing was said
    after VARCHAR
);
INSERT INTO ark.counters VALUES ('edit', 0);

-- What documents in the trash had, so that it comes back as it was.
CREATE TABLE ark.trashed_chunks AS FROM ark.chunks LIMIT 0;
CREATE TABLE ark.trashed_links AS FROM ark.links LIMIT 0;
CREATE TABLE ark.trashed_names AS FROM ark.names LIMIT 0;

-- What the curation queue is not to show before a moment.
CREATE TABLE ark.skipped (item VARCHAR NOT NULL, until TIMESTAMP NOT NULL);

-- What happened, as agents and people report it. Texts that were not given are empty, numbers are null.
CREATE TABLE ark.events (
    number BIGINT NOT NULL,         -- in the order in which they were reported, whatever the clock said
    id VARCHAR NOT NULL,
    moment TIMESTAMP NOT NULL,
    event_type VARCHAR NOT NULL,
    issue_number BIGINT,
    session_id VARCHAR NOT NULL,
    duration_ms BIGINT,
    verdict VARCHAR NOT NULL,
    component_area VARCHAR NOT NULL,
    estimate VARCHAR NOT NULL,
    drift_count BIGINT,
    model VARCHAR NOT NULL,
    agent_type VARCHAR NOT NULL,
    iteration_count BIGINT,
    payload VARCHAR NOT NULL,       -- JSON, or nothing
    query_id VARCHAR NOT NULL,      -- the search, context or expert call that it follows on
    agent_id VARCHAR NOT NULL
);
INSERT INTO ark.counters VALUES ('event', 0);

-- Patterns: documents of layer 4, with what their outcomes have made of them.
CREATE TABLE ark.patterns (
    document BIGINT NOT NULL,
    problem VARCHAR NOT NULL,
    solution VARCHAR NOT NULL,
    confidence DOUBLE NOT NULL,
    successes BIGINT NOT NULL,
    failures BIGINT NOT NULL
);

-- Directives: documents of layer 9.
CREATE TABLE ark.directives (
    document BIGINT NOT NULL,
    kind VARCHAR NOT NULL,          -- MUST, NEVER, PREFER, AVOID
    scope VARCHAR NOT NULL,         -- empty: everywhere
    priority BIGINT NOT NULL
);

-- Contexts that were put together for a model, and the memories that each held.
CREATE TABLE ark.contexts (
    id VARCHAR NOT NULL,            -- the retrieval id
    query VARCHAR NOT NULL,
    agent VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    moment TIMESTAMP NOT NULL
);
CREATE TABLE ark.recalled (
    context VARCHAR NOT NULL,
    rank INTEGER NOT NULL,
    document VARCHAR NOT NULL,      -- id, since documents may go and come back
    kind VARCHAR NOT NULL,          -- fact, pattern, directive, passage
    similarity DOUBLE NOT NULL,
    recency DOUBLE NOT NULL,
    confidence DOUBLE NOT NULL
);

-- Patterns that were used after they had been retrieved. Without an outcome, it is still to come.
CREATE TABLE ark.applications (
    number BIGINT NOT NULL,
    id VARCHAR NOT NULL,
    retrieval VARCHAR NOT NULL,
    pattern VARCHAR NOT NULL,       -- id of its document
    agent VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    moment TIMESTAMP NOT NULL,
    outcome VARCHAR NOT NULL
);
INSERT INTO ark.counters VALUES ('application', 0);

-- How much text has been deleted for good, and up to which of it the files of the home were written anew:
-- the difference is still to be erased. `removed`: texts whose file changed or went, or that were replaced.
INSERT INTO ark.counters VALUES ('deleted documents', 0), ('deleted messages', 0), ('deleted notes', 0), ('erased documents', 0),
    ('erased messages', 0), ('erased notes', 0), ('erased removed', 0), ('deleted removed', 0);

-- Requests that named an idempotency key, kept for a day, so that repeating one changes nothing.
CREATE TABLE ark.requests (
    agent VARCHAR NOT NULL,
    key VARCHAR NOT NULL,
    part INTEGER NOT NULL,          -- which transaction of the request
    operation VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,        -- of its arguments
    answer VARCHAR NOT NULL,        -- JSON: numbers and ids of what was made, never a text
    moment TIMESTAMP NOT NULL
);

-- What a model proposed out of messages, and what a person has made of it.
CREATE TABLE ark.candidates (
    number BIGINT NOT NULL,
    id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,          -- episode, fact, pattern, directive
    value VARCHAR NOT NULL,         -- JSON of what it says; empty once an item says it
    digest VARCHAR NOT NULL,        -- of what it says: what was rejected is known by it
    relation VARCHAR NOT NULL,      -- to what is known: new, narrower, contradicts, supersedes
    target VARCHAR NOT NULL,        -- the id of that item
    problems VARCHAR NOT NULL,      -- JSON: what of it its spans do not hold
    support INTEGER NOT NULL,       -- stretches that say it
    model VARCHAR NOT NULL,
    agent VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    state VARCHAR NOT NULL,         -- pending, later, accepted, edited, merged, rejected
    made VARCHAR NOT NULL,          -- the id of the item that says it now
    fresh BOOLEAN NOT NULL,         -- whether that was made by the decision
    proposed TIMESTAMP NOT NULL,
    decided TIMESTAMP,
    owner VARCHAR DEFAULT '',       -- whose the item will be, and whose items it was compared with
    project VARCHAR DEFAULT ''
);
CREATE TABLE ark.candidate_spans (
    candidate BIGINT NOT NULL,
    message BIGINT NOT NULL,        -- document
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL
);
INSERT INTO ark.counters VALUES ('candidate', 0);

-- Long work that was begun and is not finished: it goes on when the home is opened next.
CREATE TABLE ark.jobs (
    id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,          -- index, embed, analyse
    what VARCHAR NOT NULL,          -- the folder or the model that it is about
    collection VARCHAR NOT NULL,    -- what the folder's collection was to be called, where somebody said
    tags VARCHAR[] NOT NULL,
    paused BOOLEAN NOT NULL,        -- it goes on when somebody says so, not by itself
    on_cluster VARCHAR NOT NULL     -- the cluster whose workers do it
);
