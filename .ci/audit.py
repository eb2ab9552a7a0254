"""Looks for known vulnerabilities of everything in requirements/, with pip-audit.

The locked versions are looked up as they stand; nothing is installed. Exit code 1 if something is vulnerable. Where no
vulnerability service answers, as in networks with nothing but a package index, that is said and is no failure: a service
counts as answering only if it knows that an old release is vulnerable.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

REQUIREMENTS = Path(__file__).parents[1] / "requirements"
SERVICES = ("osv", "pypi")
KNOWN_TO_BE_VULNERABLE = "jinja2==2.4.1"
SECONDS = 900


def audit(requirements: Path, service: str) -> list[dict[str, Any]]:
    """What pip-audit says of each dependency in a file; nothing if the service does not answer."""
    options = ["--no-deps", "--disable-pip", "--progress-spinner=off", "--format=json"]
    command = [sys.executable, "-m", "pip_audit", f"--requirement={requirements}", *options]
    try:
        done = subprocess.run(
            [*command, f"--vulnerability-service={service}"],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        dependencies: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        return []
    return dependencies


def answering_service() -> str:
    """The first service that knows what is vulnerable; an empty string if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        canary = Path(folder) / "requirements.txt"
        canary.write_text(f"{KNOWN_TO_BE_VULNERABLE}\n", encoding="utf-8")
        for service in SERVICES:
            if vulnerable(audit(canary, service)):
                return service
    return ""


def vulnerable(dependencies: Iterable[dict[str, Any]]) -> list[str]:
    """A line for each known vulnerability."""
    return [
        f"{one['name']} {one['version']}: {found['id']}, fixed in {', '.join(found['fix_versions']) or 'no release'}"
        for one in dependencies
        for found in one.get("vulns", ())
    ]


def main() -> int:
    """Audits every file; the exit code."""
    if subprocess.run([sys.executable, "-c", "import pip_audit"], check=False).returncode != 0:
        print("NOT AUDITED: pip-audit is not installed (it is in the extra `dev`)", file=sys.stderr)
        return 0
    service = answering_service()
    if not service:
        print("NOT AUDITED: no vulnerability service answers from here", file=sys.stderr)
        return 0
    bad = 0
    for file in sorted(REQUIREMENTS.glob("*.txt")):
        dependencies = audit(file, service)
        found = vulnerable(dependencies)
        skipped = [one["name"] for one in dependencies if "skip_reason" in one]
        unknown = f", unknown to {service}: {', '.join(skipped)}" if skipped else ""
        print(
            f"{file.name}: {len(dependencies) - len(skipped)} audited, {len(found)} vulnerable{unknown}"
        )
        for line in found:
            print(f"  {line}")
        bad += len(found) + (not dependencies)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
