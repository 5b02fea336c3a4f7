-- What a model has answered while it was asked what is worth knowing, by a digest of the whole question. It is only here so that the
-- same is not asked twice, and goes as a whole whenever anything is forgotten.
CREATE TABLE ark.model_answers (digest VARCHAR, answer VARCHAR, moment TIMESTAMP);
