"""`annot completion`."""

import click
from click.shell_completion import get_completion_class


@click.command(
    "completion",
    epilog="""\b
Examples:
  annot completion bash >> ~/.bashrc
  annot completion zsh >> ~/.zshrc
  annot completion fish > ~/.config/fish/completions/annot.fish""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell: commands, options, ids of questions and anchors."""
    root = ctx.find_root().command
    completion = get_completion_class(shell)
    assert completion is not None  # noqa: S101 - the choice above has only shells that click knows
    click.echo(completion(root, {}, "annot", "_ANNOT_COMPLETE").source())
