"""Results of commands as findings, which all machine formats are made from."""

from annotator.tasks.findings.checked import about_check, check_findings
from annotator.tasks.findings.probed import about_probe, probe_findings
from annotator.tasks.findings.spots import project_root, spot_in

__all__ = [
    "about_check",
    "about_probe",
    "check_findings",
    "probe_findings",
    "project_root",
    "spot_in",
]
