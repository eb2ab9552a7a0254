"""Block hashes of fixed requests: recomputed, and recorded for comparison between releases."""

import os
from collections.abc import Sequence
from typing import Any

from annotator.probes.contract import Context, Json
from annotator.probes.reference.hash_chain import (
    Content,
    Digest,
    Image,
    sha256_of_cbor,
    sha256_of_pickle,
)
from annotator.probes.rigs import block_hashes

BLOCK = 4
SEED_VARIABLE = "PYTHONHASHSEED"

IMAGE_A, IMAGE_B = Image("image-a", 2, 6), Image("image-b", 8, 5)
ADAPTER = ("adapter", "/adapters/1")
EXAMPLES = {
    "text": Content(),
    "salt": Content(salt="secret"),
    "adapter": Content(adapter=ADAPTER),
    "image": Content(images=(IMAGE_A, IMAGE_B)),
    "all": Content(salt="secret", adapter=ADAPTER, images=(IMAGE_A, IMAGE_B)),
}
"""Requests whose hashes are recorded."""

TOKENS = tuple(range(1000, 1016))
MODELS: dict[str, Digest] = {"sha256": sha256_of_pickle, "sha256_cbor": sha256_of_cbor}
ALGORITHMS = ("sha256", "sha256_cbor", "xxhash", "xxhash_cbor")


def usable_digests(by_name: Any) -> dict[str, Digest]:
    """Upstream's hash functions by name, without those whose package is not installed."""
    usable = {}
    for name in ALGORITHMS:
        try:
            digest = by_name(name)
            digest(("try", 1))
        except (ValueError, ModuleNotFoundError):
            continue
        usable[name] = digest
    return usable


def observe_examples(context: Context, digests: dict[str, Digest]) -> None:
    """Recomputes upstream's hashes from the triple, and records the hashes and the extra keys."""
    from vllm.v1.core import kv_cache_utils

    wrong: list[str] = []
    misnamed: list[str] = []
    for algorithm, digest in digests.items():
        kv_cache_utils.init_none_hash(digest)
        model = MODELS.get(algorithm, digest)
        for kind, content in EXAMPLES.items():
            hasher = block_hashes.make_hasher(BLOCK, digest)
            request = block_hashes.make_request(context, TOKENS, content, hasher)
            hashes = list(request.block_hashes)
            context.saw(f"hash.{algorithm}.{kind}", [each.hex() for each in hashes])
            parent = kv_cache_utils.NONE_HASH
            extras = block_hashes.upstream_extra_keys(request, BLOCK)
            for index, (seen, keys) in enumerate(zip(hashes, extras, strict=True)):
                start, end = index * BLOCK, (index + 1) * BLOCK
                if digest((parent, TOKENS[start:end], keys)) != seen:
                    wrong.append(f"{algorithm} of {kind}, block {index}")
                if model((parent, TOKENS[start:end], keys)) != digest(
                    (parent, TOKENS[start:end], keys)
                ):
                    misnamed.append(f"{algorithm} of {kind}, block {index}")
                parent = seen
        if algorithm.startswith("xxhash") and len(digest("any")) != 16:
            misnamed.append(f"{algorithm} gives {8 * len(digest('any'))} bits")
    for kind, content in EXAMPLES.items():
        request = block_hashes.make_request(context, TOKENS, content, None)
        for index, keys in enumerate(block_hashes.upstream_extra_keys(request, BLOCK)):
            context.saw(f"extra-keys.{kind}.{index}", block_hashes.as_json(keys))
    said = f"{len(digests)} algorithms on {len(EXAMPLES)} kinds of request"
    context.verdict("covers-parent-tokens-extras", not wrong, "; ".join(wrong[:3]) or said)
    context.verdict("algorithms-as-named", not misnamed, "; ".join(misnamed[:3]) or said)
    _observe_identity(context, digests)


def _observe_identity(context: Context, digests: dict[str, Digest]) -> None:
    """Whether a hash depends on two equal parts being one object, as pickle's back references would have it."""
    word = "".join(("same", "-", "word"))
    again = "".join(("same", "-", "word"))
    for algorithm, digest in digests.items():
        one_object, two_objects = digest((word, word)), digest((word, again))
        context.saw(f"depends-on-identity.{algorithm}", one_object != two_objects)


def none_hashes(algorithms: Sequence[str]) -> dict[str, list[str]]:
    """`NONE_HASH` by algorithm, made twice in this process. Called in fresh processes too."""
    from vllm.utils.hashing import get_hash_fn_by_name
    from vllm.v1.core import kv_cache_utils

    made: dict[str, list[str]] = {}
    for algorithm in algorithms:
        made[algorithm] = []
        for _ in range(2):
            kv_cache_utils.init_none_hash(get_hash_fn_by_name(algorithm))
            made[algorithm].append(kv_cache_utils.NONE_HASH.hex())
    return made


def observe_seed(context: Context, digests: dict[str, Digest]) -> None:
    """`NONE_HASH` with the variable and without it, here and in another process."""
    algorithms = list(digests)
    seed = os.environ.get(SEED_VARIABLE)
    wrong = []
    for value in ("0", "7"):
        os.environ[SEED_VARIABLE] = value
        for algorithm, made in none_hashes(algorithms).items():
            model = MODELS.get(algorithm, digests[algorithm])
            context.saw(f"none-hash.seed-{value}.{algorithm}", made[0])
            if set(made) != {model(value).hex()}:
                wrong.append(f"{algorithm} of seed {value}")
    said = "; ".join(wrong) or "seeds 0 and 7, twice each"
    context.verdict("seed-variable-wins", not wrong, said)

    elsewhere = context.fresh(
        none_hashes, list[Json](algorithms), environment={SEED_VARIABLE: None}
    )
    os.environ.pop(SEED_VARIABLE, None)
    here = none_hashes(algorithms)
    if seed is not None:
        os.environ[SEED_VARIABLE] = seed
    fixed = {name: len({*here[name], *elsewhere[name]}) == 1 for name in algorithms}
    for name in algorithms:
        context.saw(f"none-hash.no-seed.{name}", here[name][0] if fixed[name] else "random")
    for check, names, wanted in (
        ("crypto-seed-fixed-by-default", ("sha256", "sha256_cbor"), True),
        ("other-seed-random", ("xxhash", "xxhash_cbor"), False),
    ):
        known = [name for name in names if name in fixed]
        told = ", ".join(f"{name} {'fixed' if fixed[name] else 'random'}" for name in known)
        if known:
            holds = all(fixed[name] is wanted for name in known)
            context.verdict(check, holds, f"two processes, twice each: {told}")


def observe_granules(context: Context, digest: Digest) -> None:
    """Blocks of several hash granules, and blocks that are filled in part."""
    from vllm.v1.core import kv_cache_utils

    kv_cache_utils.init_none_hash(digest)
    request = block_hashes.make_request(
        context, TOKENS, Content(), block_hashes.make_hasher(BLOCK, digest)
    )
    fine = list(request.block_hashes)
    coarse = list(kv_cache_utils.BlockHashListWithBlockSize(fine, BLOCK, 2 * BLOCK))
    if coarse == fine[1::2]:
        form = "its last fine hash"
    elif coarse == [one + other for one, other in zip(fine[::2], fine[1::2], strict=True)]:
        form = "its fine hashes joined"
    else:
        form = "neither"
    context.saw("granules.coarse-hash", form)
    context.verdict(
        "coarse-hash-is-last-fine-hash",
        form == "its last fine hash",
        f"the hash of a block of two granules is {form}",
    )
    _observe_partial(context, request, fine)


def _observe_partial(context: Context, request: Any, fine: list[bytes]) -> None:
    from annotator.probes.rigs.kv_cache import find, make_pool

    pool = make_pool(context, 4, BLOCK)
    register = getattr(pool, "cache_partial_block", None)
    context.saw("granules.partial-entries", register is not None)
    if register is None:
        context.not_applicable("partial-entry-is-fine-hash", "BlockPool has no partial entries")
        return
    [block] = pool.get_new_blocks(1)
    context.call(
        register,
        request=request,
        block=block,
        num_tokens=BLOCK,
        kv_cache_group_id=0,
        block_size=4 * BLOCK,
        required=("num_tokens", "kv_cache_group_id", "block_size"),
    )
    hits = [find(pool, each) for each in fine]
    context.verdict(
        "partial-entry-is-fine-hash",
        hits == [block.block_id, None, None, None],
        f"of a block of four granules with one filled, the granules' hashes hit {hits}",
    )


def observe_group_keys(context: Context) -> None:
    """The keys under which a cached block is found."""
    from vllm.v1.core import kv_cache_utils

    plain = bytes(range(32))
    keys = {
        number: bytes(kv_cache_utils.make_block_hash_with_group_id(plain, number))
        for number in (0, 1, 258)
    }
    expected = {number: plain + number.to_bytes(4, "big") for number in keys}
    back = all(
        kv_cache_utils.get_block_hash(key) == plain and kv_cache_utils.get_group_id(key) == number
        for number, key in keys.items()
    )
    context.verdict(
        "group-in-key", keys == expected and back, f"the keys of groups {', '.join(map(str, keys))}"
    )
