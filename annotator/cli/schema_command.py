"""`annot schema`."""

import json
from pathlib import Path

import click

from annotator.cli.options import study_option


@click.command(
    "schema",
    epilog="""\b
Examples:
  annot schema         names of all schemas
  annot schema question   schema of a question's file
  annot schema check   schema of `annot check --format json`
  annot schema --write
      put the anchor files' schemas under anchors/schema/ for editors""",
)
@click.argument("name", required=False)
@click.option("--write", is_flag=True, help="Write the schemas of anchor files into the study.")
@study_option
def command(name: str | None, write: bool, study_dir: Path | None) -> None:
    """Print the JSON Schemas of anchor files and of results."""
    from annotator.report.result_schemas import report_schemas
    from annotator.store.json_schema import json_schemas, write_schemas
    from annotator.store.problems import shown
    from annotator.store.study_folder import find_study

    if write:
        for path in write_schemas(find_study(study_dir).path):
            click.echo(shown(path))
        return
    schemas = json_schemas() | report_schemas()
    if name is None:
        click.echo("\n".join(schemas))
    elif name in schemas:
        click.echo(json.dumps(schemas[name], ensure_ascii=False, indent=2))
    else:
        raise click.BadParameter(
            f"there is none; choose from {', '.join(schemas)}", param_hint="NAME"
        )
