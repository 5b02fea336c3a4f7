"""Long work: done in processes of its own, so that no parser takes the screen with it and no key waits."""
