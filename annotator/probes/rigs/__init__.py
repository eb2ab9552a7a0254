"""Parts of upstream, set up for an experiment so that a probe can drive them like a reference model."""
