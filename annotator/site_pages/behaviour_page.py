"""What the page of behaviour is made from: pictures, claims × releases × device, reference models."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from annotator.site_pages import pictures
from annotator.site_pages.behaviour import ReferenceModel, Seen, probe_tables, reference_models
from annotator.site_pages.code_view import code_view
from annotator.site_pages.hook_picture import HookRecording, hook_recordings, hook_sequence_svg
from annotator.tasks.site import Excerpt

_TOKENS = ("0 1 2 3", "4 5 6 7", "8 9 10 11")
_LAYERS = 2


class HookPicture(NamedTuple):
    """One scenario of a connector's hooks.

    Attributes:
        recording: what was recorded.
        svg: its picture.
    """

    recording: HookRecording
    svg: Markup


def behaviour_context(seen: Seen, words: Mapping[str, str]) -> Mapping[str, Any]:
    """What the template is given.

    Args:
        seen: what probes saw.
        words: the site's own words.
    """
    story = pictures.free_queue_story(words["queue_story"].split("|"))
    hooks = [
        HookPicture(
            each,
            hook_sequence_svg(
                each, words["hooks_step"], f"{words['hooks_label']}: {each.scenario}"
            ),
        )
        for each in hook_recordings(seen.runs)
    ]
    return {
        "tables": probe_tables(seen.runs),
        "seen": seen,
        "models": [(model, _source(model, words["fold"])) for model in reference_models()],
        "queue": pictures.free_queue_svg(
            story, words["queue_head"], words["queue_tail"], words["queue_label"]
        ),
        "chain": pictures.hash_chain_svg(_TOKENS, words["chain_seed"], words["chain_label"]),
        "hooks": hooks,
        "model_hooks": pictures.model_steps_svg(
            ((words["hooks_first"], True), (words["hooks_after"], False)),
            _LAYERS,
            words["hooks_label"],
        ),
    }


def _source(model: ReferenceModel, fold: str) -> Markup:
    lines = Excerpt("", "", "", "python", model.start, model.lines, 0, None, "", "")
    return code_view(lines, fold)
