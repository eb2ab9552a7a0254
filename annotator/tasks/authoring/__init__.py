"""From positions in source to anchors: what `annot init`, `annot add` and `annot import` write."""
