"""Small pictures of the reference models, drawn from what the models do, not from what somebody remembers."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from annotator.probes.reference.block_pool import BlockPool
from annotator.probes.reference.connector_order import worker_step
from annotator.probes.reference.kv_cache import KVCache, Request
from annotator.site_pages.svg import element, text_width

_BOX = 30
_STEP = 62


class PoolState(NamedTuple):
    """The pool after one step of a story.

    Attributes:
        said: what happened, in words.
        free: the free queue, head first.
        cached: blocks whose content can still be hit.
        tables: the block table of each request that has one.
    """

    said: str
    free: tuple[int, ...]
    cached: frozenset[int]
    tables: tuple[tuple[str, tuple[int, ...]], ...]


def free_queue_story(words: Sequence[str]) -> list[PoolState]:
    """Two requests with a common beginning enter and leave, a third comes back to it; eight blocks of four tokens.

    Args:
        words: what to say of each of the six states.
    """
    pool = BlockPool(8)
    cache = KVCache(pool, block_size=4)
    running: dict[str, Request] = {}
    states = []

    def start() -> None:
        """Nothing has happened yet."""

    def enter(name: str, tokens: list[int]) -> None:
        running[name] = Request(tokens)
        hit = cache.hit(tokens)
        cache.grow(running[name], len(tokens) - len(hit) * cache.block_size, hit)

    def leave(name: str) -> None:
        cache.release(running.pop(name))

    common = list(range(8))
    actions: tuple[Callable[[], None], ...] = (
        start,
        lambda: enter("A", [*common, 8, 9]),
        lambda: enter("B", [*common, 20, 21, 22, 23]),
        lambda: leave("A"),
        lambda: leave("B"),
        lambda: enter("C", [*common, 20, 21, 22, 23, 24]),
    )
    for said, act in zip(words, actions, strict=True):
        act()
        tables = tuple((name, tuple(request.table)) for name, request in running.items())
        states.append(PoolState(said, tuple(pool.free.order), frozenset(pool.content), tables))
    return states


def free_queue_svg(states: Sequence[PoolState], head: str, tail: str, label: str) -> Markup:
    """The queue before and after each step: a cached block is filled, an empty one is not."""
    out: list[Markup] = []
    width = 760
    for index, state in enumerate(states):
        y = index * _STEP
        out.append(element("text", state.said, x=0, y=y + 14, class_="said"))
        x = 8.0
        out.append(element("text", head, x=x, y=y + 43, class_="dim"))
        x += text_width(head, 11) + 12
        for block in state.free:
            out += _block(block, x, y + 22, "cached" if block in state.cached else "empty")
            x += _BOX + 6
        out.append(element("text", tail, x=x + 4, y=y + 43, class_="dim"))
        x = 420.0
        for name, table in state.tables:
            out.append(element("text", name, x=x, y=y + 43, class_="name"))
            x += 16
            for block in table:
                out += _block(block, x, y + 22, "cached" if block in state.cached else "empty")
                x += _BOX + 2
            x += 16
    return svg_picture(out, width, len(states) * _STEP, label)


def _block(number: int, x: float, y: float, kind: str) -> Iterable[Markup]:
    yield element("rect", x=x, y=y, width=_BOX, height=_BOX, rx=4, class_=kind)
    yield element(
        "text", str(number), x=x + _BOX / 2, y=y + 20, text_anchor="middle", class_="number"
    )


def hash_chain_svg(blocks: Sequence[str], seed: str, label: str) -> Markup:
    """Each block's key is made from the key before it and its own tokens.

    Args:
        blocks: the tokens of each block, as text.
        seed: what stands for the parent of the first block.
        label: what the picture is.
    """
    out: list[Markup] = []
    boxes = [(10.0, 20.0, seed, "seed")]
    x = 10.0 + max(90.0, text_width(seed, 12) + 20) + 50
    for index, tokens in enumerate(blocks):
        width = max(130.0, text_width(tokens, 12) + 24)
        boxes.append((x, 20.0, f"H{index}", "cached"))
        out.append(element("rect", x=x, y=92, width=width, height=30, rx=4, class_="empty"))
        out.append(
            element("text", tokens, x=x + width / 2, y=112, text_anchor="middle", class_="number")
        )
        out.append(_arrow(x + width / 2, 92, x + width / 2, 54))
        x += width + 50
    widths = [max(90.0, text_width(seed, 12) + 20)]
    widths += [max(130.0, text_width(tokens, 12) + 24) for tokens in blocks]
    for (left, top, text, kind), width in zip(boxes, widths, strict=True):
        out.append(element("rect", x=left, y=top, width=width, height=32, rx=4, class_=kind))
        out.append(
            element("text", text, x=left + width / 2, y=41, text_anchor="middle", class_="number")
        )
    for ((left, *_), width), ((right, *_), _) in pairwise(zip(boxes, widths, strict=True)):
        out.append(_arrow(left + width, 36, right, 36))
    return svg_picture(out, x, 134, label)


def model_steps_svg(lanes: Sequence[tuple[str, bool]], layers: int, label: str) -> Markup:
    """The hooks of one step on a worker in order, once with the load before the pass and once after it.

    Args:
        lanes: a heading each, and whether the load comes first.
        layers: number of attention layers.
        label: what the picture is.
    """
    out: list[Markup] = []
    longest = 0
    for column, (heading, first) in enumerate(lanes):
        hooks = worker_step([f"layer {n}" for n in range(layers)], True, first)
        longest = max(longest, len(hooks))
        x = 14 + column * 380
        out.append(element("text", heading, x=x, y=16, class_="said"))
        out.append(element("path", d=f"M{x + 10} 30V{34 + len(hooks) * 28}", class_="line"))
        for row, hook in enumerate(hooks):
            y = 44 + row * 28
            load = hook in {"start_load_kv", "wait_for_layer_load"}
            save = hook in {"save_kv_layer", "wait_for_save"}
            kind = (
                "load"
                if load
                else "save"
                if save
                else "model"
                if hook in {"forward", "attention"}
                else "hook"
            )
            inset = 34 if hook in {"wait_for_layer_load", "attention", "save_kv_layer"} else 0
            out.append(element("circle", cx=x + 10, cy=y, r=5, class_=kind))
            out.append(element("text", hook, x=x + 26 + inset, y=y + 4, class_="code"))
    return svg_picture(out, 14 + 380 * len(lanes), 56 + longest * 28, label)


def _arrow(x1: float, y1: float, x2: float, y2: float) -> Markup:
    dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
    head = f"M{x2:.0f} {y2:.0f}l{-7 * dx - 4 * dy} {-7 * dy - 4 * dx}M{x2:.0f} {y2:.0f}l{-7 * dx + 4 * dy} {-7 * dy + 4 * dx}"
    return element("path", d=f"M{x1:.0f} {y1:.0f}L{x2:.0f} {y2:.0f}{head}", class_="line")


def svg_picture(content: Iterable[Markup], width: float, height: float, label: str) -> Markup:
    """A picture of that size, which shrinks with the page."""
    return element(
        "svg",
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        class_="an-pic",
        role="img",
        aria_label=label,
        style=f"max-width:{width:.0f}px",
    )
