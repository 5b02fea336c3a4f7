"""The first five minutes: twenty tasks, done in a real terminal by keys that the screen names."""
