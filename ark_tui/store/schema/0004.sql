-- What a program said of a text that it handed in, as JSON; a text without any has no row.
CREATE TABLE ark.metadata (document BIGINT NOT NULL, value VARCHAR NOT NULL);
