"""What upstream code does: small experiments that run it and compare it with reference models.

Two sides. In a child process, under an interpreter that has upstream's dependencies and not ours, run `child` and what
it loads: `catalogue` holds the probes, one file each; `reference` the reference models they compare with, in plain Python
good enough to teach from; `experiments` drive both; `rigs` make upstream's objects in one way for every release;
`contract` is what a probe is and what it may use. They import nothing but the standard library, each other and what
they probe (and that inside functions only).

On our side `runner` runs one probe on one commit: `choice` picks environment and tier, `environments` and `setup` find
and make interpreters, `trees` lays out a commit's files, `own_code` what of this package the child gets, `sandbox` and
its watcher `keeper` limit the child, `seen` reads what it left, `results` remembers it.
"""
