"""Times `annot trace` next to `git log`, and checks it on real changes of known pull requests."""
