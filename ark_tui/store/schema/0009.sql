-- How far consolidation has taken up each conversation, and how often it has failed to go on.
ALTER TABLE ark.conversations ADD COLUMN looked INTEGER DEFAULT 0;  -- the last sequence number
ALTER TABLE ark.conversations ADD COLUMN tries INTEGER DEFAULT 0;

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
    decided TIMESTAMP
);
CREATE TABLE ark.candidate_spans (
    candidate BIGINT NOT NULL,
    message BIGINT NOT NULL,        -- document
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL
);
INSERT INTO ark.counters VALUES ('candidate', 0);
