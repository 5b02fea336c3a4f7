-- Whose the item will be that a candidate becomes, and whose items it was compared with. Who owns items already owns what was
-- proposed out of their conversations.
ALTER TABLE ark.candidates ADD COLUMN owner VARCHAR DEFAULT '';
ALTER TABLE ark.candidates ADD COLUMN project VARCHAR DEFAULT '';
UPDATE ark.candidates SET owner = agent WHERE agent IN (SELECT owner FROM ark.documents WHERE gone IS NULL);
UPDATE ark.candidates SET project = session WHERE session IN (SELECT project FROM ark.documents WHERE gone IS NULL);
