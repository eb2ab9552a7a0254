"""Runs the command line with `python -m annotator`."""

from annotator.cli.app import main

if __name__ == "__main__":
    main()
