-- Messages as programs have them, and conversations that come from elsewhere. What is not given is empty.
ALTER TABLE ark.messages ADD COLUMN name VARCHAR DEFAULT '';            -- of the participant or the tool
ALTER TABLE ark.messages ADD COLUMN tool_call_id VARCHAR DEFAULT '';    -- the call that this is the result of
ALTER TABLE ark.messages ADD COLUMN key VARCHAR DEFAULT '';             -- the client's id, once in a conversation
ALTER TABLE ark.messages ADD COLUMN given VARCHAR DEFAULT '';           -- JSON: what else it came with
ALTER TABLE ark.conversations ADD COLUMN title VARCHAR DEFAULT '';
ALTER TABLE ark.conversations ADD COLUMN closed BOOLEAN DEFAULT false;  -- nothing more is expected
