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
