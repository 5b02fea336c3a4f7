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
