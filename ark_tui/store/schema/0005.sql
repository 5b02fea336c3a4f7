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
