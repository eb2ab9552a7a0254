"""What upstream code does: small experiments that run it and compare it with reference models.

`catalogue` holds the probes, one file each; `reference` the reference models they compare with, in plain Python good
enough to teach from; `contract` what a probe is and what it may use. These three run inside a child process under an
interpreter that has upstream's dependencies and not ours, so they import nothing but the standard library, each other
and what they probe (and that inside functions only).

Everything else runs on our side: `environments` finds and makes such interpreters, `trees` lays out a commit's
files, `sandbox` limits a child, `runner` runs one probe on one commit, `results` remembers what was seen.
"""
