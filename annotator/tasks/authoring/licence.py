"""Under which licence a tree says it stands, as an SPDX id (spdx.org/licenses)."""

import re

from annotator.outline.text import decode
from annotator.resolve.snapshot import Snapshot

UNKNOWN = "NOASSERTION"
"""SPDX's word for a licence that nobody has determined."""

_FILE = re.compile(r"(?:licen[cs]e|copying|unlicense)(?:[-.][\w.-]+)?", re.IGNORECASE)
_SIGNS = (
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0"),
    ("AGPL-3.0-only", r"GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3"),
    ("LGPL-3.0-only", r"GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3"),
    ("LGPL-2.1-only", r"GNU LESSER GENERAL PUBLIC LICENSE\s+Version 2\.1"),
    ("GPL-3.0-only", r"GNU GENERAL PUBLIC LICENSE\s+Version 3"),
    ("GPL-2.0-only", r"GNU GENERAL PUBLIC LICENSE\s+Version 2"),
    ("MPL-2.0", r"Mozilla Public License,? Version 2\.0"),
    ("BSL-1.0", r"Boost Software License - Version 1\.0"),
    ("Unlicense", r"free and unencumbered software released into the public domain"),
    ("ISC", r"Permission to use, copy, modify, and/or distribute this software for any purpose"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms.*?\b(?:endorse|Neither the)\b"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
)  # fmt: skip
_READ = 20_000
"""Characters of a licence's text that are looked at."""


def licence_of(snapshot: Snapshot) -> str:
    """The SPDX id of the licence in the tree's root, or `NOASSERTION` where none is recognized."""
    for path in sorted(snapshot.files):
        if "/" not in path and _FILE.fullmatch(path):
            text = " ".join(decode(snapshot.data(path))[:_READ].split())
            for name, sign in _SIGNS:
                if re.search(sign, text):
                    return name
    return UNKNOWN
