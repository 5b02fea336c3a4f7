-- How much text has been deleted for good, and up to which of it the files of the home were written anew:
-- the difference is still to be erased. `removed`: texts whose file changed or went, or that were replaced.
INSERT INTO ark.counters VALUES ('deleted documents', 0), ('deleted messages', 0), ('deleted notes', 0), ('erased documents', 0),
    ('erased messages', 0), ('erased notes', 0), ('erased removed', 0);
INSERT INTO ark.counters SELECT 'deleted removed', least(1, count(*)) FROM ark.documents;

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
