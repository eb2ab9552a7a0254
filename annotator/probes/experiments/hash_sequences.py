"""Block hashes of generated requests beside the names that the reference model gives their blocks."""

from collections.abc import Sequence
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference.hash_chain import (
    Content,
    Digest,
    Image,
    Name,
    block_names,
    extra_keys,
    images_between,
)
from annotator.probes.rigs import block_hashes
from annotator.probes.sequences import Findings, Operation, Run

BLOCK = 4
SALTS = ("", "s1", "s2")
ADAPTERS = (None, ("a", "/a/1"), ("a", "/a/2"), ("b", "/b/1"))


class _Names:
    """Upstream's hashes beside the model's names: each has to stand for one of the other."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._hash_of: dict[Name, bytes] = {}
        self._name_of: dict[bytes, Name] = {}

    def compare(self, check: str, hashes: Sequence[bytes], names: Sequence[Name]) -> None:
        """Puts a check to the test for each block of a request."""
        for index, (seen, name) in enumerate(zip(hashes, names, strict=False)):
            known = self._hash_of.setdefault(name, seen)
            self._run.expect(
                check, seen.hex()[:8], known.hex()[:8], f"hash of block {index}, seen before"
            )
            owner = self._name_of.setdefault(seen, name)
            shared = "that of another prefix" if owner != name else "its own"
            self._run.expect(check, shared, "its own", f"hash of block {index}")


class _Live:
    """A request of upstream's, with what the model knows of it."""

    def __init__(self, context: Context, tokens: list[int], content: Content, hasher: Any) -> None:
        self.tokens = tokens
        self.content = content
        self.request = block_hashes.make_request(context, tokens, content, hasher)

    def grow(self, count: int) -> None:
        """Generates tokens, one of which is like the prompt's."""
        for number in range(count):
            self.request.append_output_token_ids(number % 2 + 1)
            self.tokens.append(number % 2 + 1)

    @property
    def hashes(self) -> list[bytes]:
        """Upstream's hashes so far."""
        return list(self.request.block_hashes)


def _tokens(length: int, differs_at: int) -> list[int]:
    """Tokens that repeat, so that blocks are equal wherever they can be; one of them differs."""
    return [2 if place == differs_at else 1 for place in range(length)]


def explore_text(context: Context, findings: Findings, digest: Digest) -> None:
    """Requests of plain text, many with blocks in common, that grow."""
    from hypothesis import strategies as st

    operations = st.one_of(
        st.tuples(st.just("start"), st.integers(0, 5 * BLOCK), st.integers(0, 5 * BLOCK)),
        st.tuples(st.just("grow"), st.integers(0, 5), st.integers(0, 2 * BLOCK)),
    )

    def runner(sequence: list[Operation], run: Run) -> None:
        _play(
            context, sequence, run, "same-hash-same-prefix", block_hashes.make_hasher(BLOCK, digest)
        )

    findings.explore("text", operations, runner, longest=12)


def explore_lookahead(context: Context, findings: Findings, digest: Digest) -> None:
    """The same, where hashes look ahead."""
    from hypothesis import strategies as st

    if len(block_hashes.hasher_parameters()) < 3:
        context.not_applicable("lookahead-in-hash", "block hashes have no lookahead")
        return
    operations = st.one_of(
        st.tuples(st.just("start"), st.integers(0, 5 * BLOCK), st.integers(0, 5 * BLOCK)),
        st.tuples(st.just("grow"), st.integers(0, 5), st.integers(0, BLOCK)),
    )
    for lookahead in (1, 2):
        hasher = block_hashes.make_hasher(BLOCK, digest, lookahead)

        def runner(
            sequence: list[Operation], run: Run, hasher: Any = hasher, lookahead: int = lookahead
        ) -> None:
            _play(context, sequence, run, "lookahead-in-hash", hasher, lookahead)

        findings.explore(f"lookahead {lookahead}", operations, runner, longest=12)


def _play(
    context: Context,
    sequence: list[Operation],
    run: Run,
    check: str,
    hasher: Any,
    lookahead: int = 0,
) -> None:
    """Starts requests and lets them grow; compares number and equality of hashes after every step."""
    live: list[_Live] = []
    names = _Names(run)
    counting = "lookahead-in-hash" if lookahead else "full-blocks-only"
    for kind, number, value in sequence:
        before: list[bytes] = []
        if kind == "start":
            live.append(_Live(context, _tokens(number, value), Content(), hasher))
            one = live[-1]
        elif live:
            one = live[number % len(live)]
            before = one.hashes
            one.grow(value)
        else:
            continue
        expected = block_names(one.tokens, one.content, BLOCK, lookahead)
        what = f"hashes of {len(one.tokens)} tokens"
        run.expect(counting, len(one.hashes), len(expected), what)
        run.expect(counting, one.hashes[: len(before)] == before, True, "earlier hashes stay")
        names.compare(check, one.hashes, expected)
        run.stop_if_parted()


def explore_content(context: Context, findings: Findings, digest: Digest) -> None:
    """Salts, adapters and images, each apart, so that a difference is laid to the right one."""
    from hypothesis import strategies as st

    hasher = block_hashes.make_hasher(BLOCK, digest)
    lengths, growth = st.integers(0, 5 * BLOCK), st.integers(0, 2 * BLOCK)
    places = st.tuples(st.integers(0, 3 * BLOCK), st.integers(1, 2 * BLOCK), st.integers(0, 3))
    kinds = {
        "salt-in-first-block-only": st.integers(0, len(SALTS) - 1),
        "adapter-name-and-path": st.integers(0, len(ADAPTERS) - 1),
        "image-where-it-lies": places,
    }
    for check, variants in kinds.items():

        def runner(sequence: list[Operation], run: Run, check: str = check) -> None:
            names = _Names(run)
            for _, length, grown, variant in sequence:
                content = _content(check, variant, length)
                one = _Live(context, _tokens(length, -1), content, hasher)
                one.grow(grown)
                _compare_keys(run, check, one)
                names.compare(check, one.hashes, block_names(one.tokens, one.content, BLOCK))
                run.stop_if_parted()

        operations = st.tuples(st.just("request"), lengths, growth, variants)
        findings.explore(check, operations, runner, longest=8)


def _content(check: str, variant: Any, length: int) -> Content:
    if check == "salt-in-first-block-only":
        return Content(salt=SALTS[variant])
    if check == "adapter-name-and-path":
        return Content(adapter=ADAPTERS[variant])
    offset, size, which = variant
    if which == 0 or offset + size > length:
        return Content()
    images = [Image("image-a" if which < 3 else "image-b", offset, size)]
    if which == 2 and offset + size + 2 <= length:
        images.append(Image("image-b", offset + size, 2))
    return Content(images=tuple(images))


def _compare_keys(run: Run, check: str, one: _Live) -> None:
    """Whether the extra keys of each block hold the words that they should, whatever their form."""
    for index, keys in enumerate(block_hashes.upstream_extra_keys(one.request, BLOCK)):
        start, end = index * BLOCK, (index + 1) * BLOCK
        found = block_hashes.atoms(keys)
        if check == "image-where-it-lies":
            lying = images_between(one.content.images, start, end)
            expected: set[Any] = {part for image in lying for part in image}
            found -= {"mm"}
        else:
            kept = {*SALTS, *(part for each in ADAPTERS if each for part in each)}
            found &= kept
            expected = block_hashes.atoms(extra_keys(one.content, start, end)) & kept
        run.expect(
            check, sorted(map(str, found)), sorted(map(str, expected)), f"keys of block {index}"
        )
