-- Whose an item is, and which project it belongs to. Empty: everybody's, and of every project, as all were before.
ALTER TABLE ark.documents ADD COLUMN owner VARCHAR DEFAULT '';
ALTER TABLE ark.documents ADD COLUMN project VARCHAR DEFAULT '';
