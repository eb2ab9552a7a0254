"""The reference models of planning, of limits, of connectors' answers and of the front end say what the notes say."""

import pytest

from annotator.probes.reference import (
    batch_defaults,
    front_end,
    kv_planning,
    load_test,
    shipped_connectors,
)
from annotator.probes.reference.load_test import Served
from annotator.probes.reference.shipped_connectors import NOTHING, Asked


@pytest.mark.parametrize(
    ("layers", "size", "groups"),
    [
        pytest.param((10, 20), 10, 3, id="one full for two windows"),
        pytest.param((12, 13), 13, 2, id="a drafter adds a layer: padded"),
        pytest.param((10, 14), 14, 2, id="just below half as many more"),
        pytest.param((10, 15), 10, 3, id="half as many more"),
        pytest.param((4, 4), 4, 2, id="as many of each"),
        pytest.param((1, 12), 1, 13, id="a single layer of a kind"),
    ],
)
def test_how_layers_are_cut_into_groups(layers: tuple[int, ...], size: int, groups: int) -> None:
    assert kv_planning.group_size(layers) == size
    assert kv_planning.number_of_groups(layers) == groups


@pytest.mark.parametrize(
    ("window", "in_flight", "longest", "blocks"),
    [(4, 4, 1000, 3), (4, 4, 10**6, 3), (4, 4, 5, 3), (1, 1, 1000, 2), (128, 64, 100, 26)],
)
def test_the_most_blocks_of_a_window(window, in_flight, longest, blocks) -> None:
    assert kv_planning.most_window_blocks(window, in_flight, longest, 4) == blocks


def test_a_page_holds_keys_and_values() -> None:
    assert kv_planning.page_bytes(16, 2, 32, 2) == 2 * 16 * 2 * 32 * 2
    assert kv_planning.common_blocks([30, 10, 17]) == 10


@pytest.mark.parametrize(
    ("memory", "name", "defaults"),
    [
        (80, "NVIDIA H100", batch_defaults.LARGE),
        (80, "NVIDIA A100-SXM4-80GB", batch_defaults.SMALL),
        (69, "NVIDIA H100", batch_defaults.SMALL),
        (160, "NVIDIA B200", batch_defaults.LARGEST),
    ],
)
def test_defaults_follow_from_the_gpu(memory, name, defaults) -> None:
    assert batch_defaults.defaults_for(memory, name) == defaults


@pytest.mark.parametrize(
    ("asked", "two_way", "answer"),
    [
        pytest.param(Asked(50, 0), True, NOTHING, id="nobody named a peer"),
        pytest.param(Asked(50, 0, True), False, (50, True), id="the whole prompt"),
        pytest.param(Asked(50, 49, True), True, (1, True), id="one token, however little"),
        pytest.param(Asked(50, 50, True), True, NOTHING, id="all computed"),
        pytest.param(Asked(50, 0, False, 60), True, (50, True), id="an earlier turn"),
        pytest.param(Asked(50, 40, False, 60), True, NOTHING, id="not worth fetching back"),
        pytest.param(Asked(50, 0, False, 60), False, NOTHING, id="one way only"),
    ],
)
def test_what_a_peer_offers(asked, two_way, answer) -> None:
    assert shipped_connectors.offered_by_peer(asked, two_way=two_way, worth=32) == answer


@pytest.mark.parametrize(
    ("stored", "computed", "answer"),
    [
        (b"abc", 0, (48, True)),
        (b"ab", 16, (16, True)),
        (b"bc", 0, NOTHING),
        (b"ac", 0, (16, True)),
        (b"abc", 48, NOTHING),
    ],
)
def test_what_a_store_offers(stored: bytes, computed: int, answer) -> None:
    held = {bytes([each]) for each in stored}
    hashes = [b"a", b"b", b"c"]
    assert shipped_connectors.offered_by_store(hashes, held, 16, computed) == answer


@pytest.mark.parametrize(
    ("limits", "good"),
    [
        pytest.param({"ttft": 100}, 2, id="first token"),
        pytest.param({"tpot": 30}, 1, id="a single token takes no time per token"),
        pytest.param({"ttft": 100, "e2el": 200}, 1, id="both"),
        pytest.param({"e2el": 10_000}, 3, id="whoever succeeded"),
    ],
)
def test_goodput_counts_those_within_all_limits(limits: dict[str, float], good: int) -> None:
    served = [
        Served(True, 0.1, 0.5, 11),
        Served(True, 0.05, 0.05, 1),
        Served(True, 0.2, 2.0, 10),
        Served(False, 0.01, 0.02, 5),
    ]
    assert load_test.goodput(served, limits, 4.0) == good / 4


def test_arrivals_are_stretched_to_the_rate() -> None:
    assert load_test.due([1.0, 1.0, 2.0], 0.5) == [1.5, 3.0, 6.0]


@pytest.mark.parametrize(
    ("given", "prompts"),
    [
        ("a", ["a"]),
        ([1, 2], [[1, 2]]),
        ([[1], [2]], [[1], [2]]),
        (["a", [1]], ["a", [1]]),
        ([], []),
    ],
)
def test_what_counts_as_a_prompt(given, prompts) -> None:
    assert front_end.prompts_of(given) == prompts


def test_outputs_are_told_at_the_end_by_index() -> None:
    assert front_end.told_after([2, 0, 1], {0: "a", 1: "b", 2: "c"}) == [[], [], ["a", "b", "c"]]
    assert [front_end.takes_parameters(2, n) for n in (None, 1, 2)] == [True, False, True]
