"""The command line: one module a command, without logic. Modules load when their command runs."""
