"""The study's files on disk: found, loaded, validated, edited in place, with their locks."""
