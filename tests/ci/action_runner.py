"""Runs the bash steps of a composite action as GitHub's runner does, as far as that goes without GitHub.

Expressions are evaluated where steps have them; `uses:` steps are only noted. Files for environment, path, outputs and
summary are kept as the runner keeps them.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

_TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(==|!=|&&|\|\||[()])|([\w.-]+))")


class Ran(NamedTuple):
    """What came of a run: standard output of all steps, exit code of the first that failed, outputs by step, `uses`."""

    output: str
    code: int
    outputs: dict[str, dict[str, str]]
    used: list[str]
    summary: str


class ActionRunner:
    """One job's worth of state around one composite action."""

    def __init__(self, action: Path, workspace: Path, temp: Path) -> None:
        self._action = action
        self._definition = yaml.safe_load((action / "action.yml").read_text("utf-8"))
        self._workspace = workspace
        self._temp = temp
        temp.mkdir(exist_ok=True)
        self._environment = {
            **os.environ,
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
            "RUNNER_TEMP": str(temp),
            "GITHUB_ACTIONS": "true",
        }
        self._outputs: dict[str, dict[str, str]] = {}

    def run(self, **given: str) -> Ran:
        """Runs the steps with these inputs (`_` for `-`) until one fails."""
        inputs = {k: str(v.get("default", "")) for k, v in self._definition["inputs"].items()}
        inputs |= {key.replace("_", "-"): value for key, value in given.items()}
        assert inputs.keys() == self._definition["inputs"].keys()
        summary = self._temp / "summary.md"
        summary.write_text("", "utf-8")
        output, used, code = "", [], 0
        for step in self._definition["runs"]["steps"]:
            if "if" in step and not self._value(step["if"], inputs):
                continue
            if "uses" in step:
                used.append(step["uses"].partition("@")[0])
                self._filled(step.get("with", {}), inputs)
                continue
            text, code = self._bash(step, inputs, summary)
            output += text
            if code:
                break
        return Ran(output, code, self._outputs, used, summary.read_text("utf-8"))

    def _bash(
        self, step: Mapping[str, Any], inputs: Mapping[str, str], summary: Path
    ) -> tuple[str, int]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "text from outside would be read as code"
        script = self._temp / "step.sh"
        script.write_text(step["run"], "utf-8")
        files = {name: self._temp / name for name in ("ENV", "PATH", "OUTPUT")}
        for file in files.values():
            file.write_text("", "utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self._workspace,
            env={
                **self._environment,
                **self._filled(step.get("env", {}), inputs),
                **{f"GITHUB_{name}": str(file) for name, file in files.items()},
                "GITHUB_STEP_SUMMARY": str(summary),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self._environment |= _pairs(files["ENV"].read_text("utf-8"))
        for line in files["PATH"].read_text("utf-8").splitlines():
            self._environment["PATH"] = os.pathsep.join((line, self._environment["PATH"]))
        if "id" in step:
            self._outputs[step["id"]] = _pairs(files["OUTPUT"].read_text("utf-8"))
        return done.stdout, done.returncode

    def _filled(self, values: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, str]:
        def value(text: object) -> str:
            return re.sub(
                r"\$\{\{(.*?)\}\}", lambda match: str(self._value(match[1], inputs)), str(text)
            )

        return {key: value(text) for key, text in values.items()}

    def _value(self, expression: str, inputs: Mapping[str, str]) -> Any:
        """An expression of comparisons joined by && and ||, of the names that actions use."""
        python = ""
        for text, sign, name in _TOKEN.findall(expression):
            if text:
                python += repr(text[1:-1].replace("''", "'"))
            elif sign:
                python += {"&&": " and ", "||": " or "}.get(sign, sign)
            else:
                python += repr(self._looked_up(name, inputs))
        return eval(python, {"__builtins__": {}})  # noqa: S307 - made of literals above

    def _looked_up(self, name: str, inputs: Mapping[str, str]) -> str:
        match name.split("."):
            case ["inputs", key]:
                return inputs[key]
            case ["steps", step, "outputs", key]:
                return self._outputs.get(step, {}).get(key, "")
            case ["env", key]:
                return self._environment[key]
            case ["github", "action_path"]:
                return str(self._action)
            case ["github" | "runner", _]:
                return "1"
        raise ValueError(f"unknown name {name}")


def _pairs(text: str) -> dict[str, str]:
    """The `NAME=VALUE` and `NAME<<DELIMITER` entries of a file that a step wrote."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        head, sign, delimiter = line.partition("<<")
        if sign and "=" not in head:
            value = []
            while (each := next(lines)) != delimiter:
                value.append(each)
            found[head] = "\n".join(value)
        else:
            key, _, value_ = line.partition("=")
            found[key] = value_
    return found


def commands_in(output: str) -> list[str]:
    """The workflow commands that GitHub's runner would carry out: none between stop-commands and its token."""
    commands: list[str] = []
    token = ""
    for line in output.splitlines():
        text = line.lstrip()
        if token:
            token = "" if text == f"::{token}::" else token
        elif text.startswith("::stop-commands::"):
            token = text.removeprefix("::stop-commands::")
        elif text.startswith(("::", "##[")):
            commands.append(text)
    return commands
