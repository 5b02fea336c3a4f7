"""The index of a home in a table elsewhere: on object storage, a share, a server of LanceDB."""
