-- Texts are compressed by Zstandard, whatever their length. Left to itself, DuckDB keeps texts of less than 4,096 characters as they are,
-- and those with few different words by a dictionary that takes a second for 1,600 of them, at each fold of the log.
CREATE TABLE ark.documents_anew (
    number BIGINT NOT NULL,
    id VARCHAR NOT NULL,
    collection VARCHAR NOT NULL,
    folder VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    item VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    titled BOOLEAN NOT NULL,
    type VARCHAR NOT NULL,
    tier VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    date DATE,
    date_source VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    place BIGINT,
    source_id VARCHAR NOT NULL,
    hash VARCHAR NOT NULL,
    body VARCHAR USING COMPRESSION zstd NOT NULL,
    added TIMESTAMP NOT NULL,
    changed TIMESTAMP NOT NULL,
    gone TIMESTAMP,
    layer TINYINT DEFAULT 0,
    since TIMESTAMP,
    agent VARCHAR DEFAULT '',
    session VARCHAR DEFAULT '',
    owner VARCHAR DEFAULT '',
    project VARCHAR DEFAULT ''
);
INSERT INTO ark.documents_anew SELECT * FROM ark.documents;
DROP TABLE ark.documents;
ALTER TABLE ark.documents_anew RENAME TO documents;
