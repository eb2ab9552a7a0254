"""The reference model of a connector's hooks, and what records them."""

from abc import ABC, abstractmethod

import pytest

from annotator.probes.reference.connector_order import Life, essential, scheduler_step, worker_step
from annotator.probes.rigs.recording_connector import Plan, Script, Tape, recording_class

BLOCK = 16
LAYERS = ("a", "b")


def test_a_request_without_load_is_asked_placed_and_ended():
    life = Life(BLOCK)
    assert life.ask(0, 0, False) is None
    assert life.place(0, 3) is None
    assert life.finish(False) is None
    assert (life.questions, life.placements, life.state) == (1, 1, "finished")


def test_an_asynchronous_load_is_placed_again_when_it_has_arrived():
    life = Life(BLOCK)
    assert life.ask(16, 20, True) is None
    assert life.place(20, 3) is None
    assert life.state == "loading"
    life.arrive()
    assert life.place(0, 4) is None
    assert life.state == "placed"


def lives():
    def asked(found=32, asynchronous=False):
        life = Life(BLOCK)
        life.ask(0, found, asynchronous)
        return life

    def placed(**kwargs):
        life = asked(**kwargs)
        life.place(life.found, 2)
        return life

    yield (
        "placed without a question",
        lambda: Life(BLOCK).place(0, 1),
        "told of an allocation while new",
    )
    yield (
        "told of fewer",
        lambda: asked().place(16, 2),
        "told of 16 external tokens after it offered 32",
    )
    yield "too few blocks", lambda: asked().place(32, 1), "only 1 blocks"
    yield (
        "more than the load",
        lambda: asked(asynchronous=True).place(32, 3),
        "3 blocks for a load that needs 2",
    )
    yield "asked while it runs", lambda: placed().ask(0, 0, False), "asked while placed"
    yield "placed while it loads", lambda: placed(asynchronous=True).place(0, 3), "while loading"

    def twice():
        life = placed()
        life.finish(False)
        return life.finish(False)

    yield "ended twice", twice, "twice"

    def arrived():
        life = placed(asynchronous=True)
        life.arrive()
        return life.place(5, 3)

    yield "told of the load again", arrived, "told again of 5"


@pytest.mark.parametrize(("play", "wrong"), [pytest.param(p, w, id=i) for i, p, w in lives()])
def test_what_a_life_forbids(play, wrong):
    assert wrong in play()


def test_a_preempted_request_and_one_whose_load_failed_are_asked_again():
    life = Life(BLOCK)
    life.ask(0, 32, True)
    life.place(32, 2)
    life.fail_load()
    life.arrive()
    assert life.ask(0, 0, False) is None
    life.place(0, 2)
    life.preempt()
    assert life.ask(0, 0, False) is None


@pytest.mark.parametrize(
    ("hooks", "wrong"),
    [
        (["get_num_new_matched_tokens", "update_state_after_alloc", "build_connector_meta"], None),
        (["build_connector_meta", "request_finished", "take_events"], None),
        (["take_events"], "called 0 times"),
        (["build_connector_meta", "build_connector_meta"], "called 2 times"),
        (["build_connector_meta", "update_state_after_alloc"], "came after"),
    ],
    ids=["with a request", "without", "no sheet", "two sheets", "sheet too early"],
)
def test_the_order_sheet_comes_last_and_once(hooks, wrong):
    said = scheduler_step(hooks)
    assert said is None if wrong is None else wrong in said


@pytest.mark.parametrize(
    ("forward", "load_first", "position"),
    [(True, True, 1), (True, False, 8), (False, False, 1)],
    ids=["before the pass", "after it", "no pass"],
)
def test_when_a_load_is_started(forward, load_first, position):
    order = worker_step(LAYERS, forward, load_first)
    assert order.index("start_load_kv") == position
    assert order[0] == "bind_connector_metadata"
    assert order[-3:] == ["wait_for_save", "results", "clear_connector_metadata"]
    assert order.count("wait_for_layer_load") == (2 if forward else 0)


def test_both_forms_of_the_last_question_are_one():
    assert essential(["get_finished", "get_kv_connector_stats"]) == ["results"]
    assert essential(["get_transfer_results"]) == ["results"]


# The recording connector, on a base class of our own


class Base(ABC):
    def __init__(self, role):
        self.role = role

    @classmethod
    def requires_something(cls, config):
        return False

    def outer(self):
        return self.inner() + 1

    def inner(self):
        return 1

    @abstractmethod
    def get_num_new_matched_tokens(self, request, num_computed_tokens): ...

    @abstractmethod
    def update_state_after_alloc(self, request, blocks, num_external_tokens): ...


Base.__module__ = "vllm.made_up"


class Role:
    name = "SCHEDULER"


class Named:
    def __init__(self, request_id, num_tokens=40):
        self.request_id, self.num_tokens = request_id, num_tokens


class Blocks:
    def get_block_ids(self):
        return [[1, 2]]


def connector(script=None):
    tape = Tape()
    return recording_class(Base, tape, script or Script())(Role()), tape


def test_every_method_is_recorded_and_those_called_from_within_are_told_apart():
    recorded, tape = connector()
    assert recorded.outer() == 2
    assert type(recorded).requires_something({}) is False
    assert [(c.hook, c.side, c.nested) for c in tape.calls] == [
        ("outer", "scheduler", False),
        ("inner", "scheduler", True),
        ("requires_something", "class", False),
    ]
    assert tape.hooks("scheduler") == ["outer"]


@pytest.mark.parametrize(
    ("plan", "answer"),
    [
        (Plan(), (0, False)),
        (Plan("sync", 64), (23, False)),
        (Plan("async", 64), (24, True)),
        (Plan("async", 16), (0, False)),
        (Plan("sync", 32, undecided=1), (None, False)),
    ],
    ids=["nothing", "all but the last token", "all", "less than the local hit", "not known yet"],
)
def test_what_the_connector_offers(plan, answer):
    recorded, tape = connector(Script(plans={"r": plan}))
    assert recorded.get_num_new_matched_tokens(Named("r"), 16) == answer
    (call,) = tape.calls
    assert (call.request, call["computed"], call["found"]) == ("r", 16, answer[0])


def test_a_load_can_be_done_within_its_step():
    script = Script(default=Plan("async", 32), arrives_at_once=True)
    recorded, tape = connector(script)
    recorded.update_state_after_alloc(Named("r"), Blocks(), 32)
    recorded.update_state_after_alloc(Named("s"), Blocks(), 0)
    assert script.arrived == {"r"}
    assert tape.of("r")[0]["blocks"] == 2
