"""How blocks of the prefix cache are named: what enters their hash, and what does not."""

from annotator.probes.contract import Check, Context, Json, Probe
from annotator.probes.experiments import hash_examples, hash_sequences
from annotator.probes.rigs import block_hashes
from annotator.probes.sequences import Findings, require_verdicts

CHECKS = (
    Check(
        "covers-parent-tokens-extras",
        "一个 block 的哈希是对 (父哈希, 本 block 的 token, extra keys) 这个三元组的哈希，第一个 block 的父哈希是 `NONE_HASH`。",
        "A block's hash is that of the triple (parent's hash, the block's tokens, extra keys); the first block's parent is"
        " `NONE_HASH`.",
    ),
    Check(
        "same-hash-same-prefix",
        "两个 block 的哈希相同，当且仅当从开头到这个 block 末尾的所有 token 都相同；相同的 token 换了位置或前缀，哈希就不同。",
        "Two blocks have the same hash exactly if all tokens up to their end are the same; equal tokens at another position or"
        " after another prefix have another hash.",
    ),
    Check(
        "full-blocks-only",
        "只有填满的 block 才有哈希；生成 token 时随填满随追加，已有的哈希不变。",
        "Only full blocks have a hash; as tokens are generated hashes are added, and those given before stay.",
    ),
    Check(
        "salt-in-first-block-only",
        "`cache_salt` 只出现在第一个 block 的 extra keys 里；后面的 block 通过父哈希继承它。",
        "`cache_salt` is among the extra keys of the first block only; later blocks have it through their parent's hash.",
    ),
    Check(
        "adapter-name-and-path",
        "LoRA 请求的每个 block 的 extra keys 都含适配器的名字和路径：同名而路径不同的适配器不共享 block。",
        "The extra keys of every block of a LoRA request have the adapter's name and path: adapters of one name and different"
        " paths share no block.",
    ),
    Check(
        "image-where-it-lies",
        "与图像重叠的 block（且只有它们）的 extra keys 含该图像的标识和它相对 block 起点的位置。",
        "The blocks that overlap with an image, and no others, have its identifier and where it begins, counted from the"
        " block's start, among their extra keys.",
    ),
    Check(
        "algorithms-as-named",
        "`sha256` 是对 pickle 序列化的 SHA-256，`sha256_cbor` 是对规范 CBOR 的 SHA-256；xxhash 两种给出 128 位。",
        "`sha256` is SHA-256 of the pickled triple, `sha256_cbor` of its canonical CBOR; both kinds of xxhash give 128 bits.",
    ),
    Check(
        "seed-variable-wins",
        "设置了 `PYTHONHASHSEED` 时，`NONE_HASH` 是对它的哈希，各进程相同。",
        "Where `PYTHONHASHSEED` is set, `NONE_HASH` is its hash, the same in every process.",
    ),
    Check(
        "crypto-seed-fixed-by-default",
        "没有设置 `PYTHONHASHSEED` 时，加密哈希（sha256、sha256_cbor）的 `NONE_HASH` 在各进程相同。",
        "Where `PYTHONHASHSEED` is not set, `NONE_HASH` of the cryptographic hashes (sha256, sha256_cbor) is the same in every"
        " process.",
    ),
    Check(
        "other-seed-random",
        "没有设置 `PYTHONHASHSEED` 时，非加密哈希（xxhash、xxhash_cbor）的 `NONE_HASH` 每次都是随机的。",
        "Where `PYTHONHASHSEED` is not set, `NONE_HASH` of the others (xxhash, xxhash_cbor) is random each time.",
    ),
    Check(
        "coarse-hash-is-last-fine-hash",
        "block 大小是哈希粒度的整数倍时，大 block 的哈希就是其中最后一个细粒度哈希。",
        "Where a block is several hash granules long, its hash is that of its last granule.",
    ),
    Check(
        "partial-entry-is-fine-hash",
        "部分填充的 block 可以用其前缀边界处的细粒度哈希登记和命中。",
        "A block filled in part can be registered and hit by the fine hash at the boundary of its prefix.",
    ),
    Check(
        "lookahead-in-hash",
        "lookahead 为 L 时，一个 block 的哈希还覆盖其后 L 个 token，且要等它们存在才给出。",
        "With a lookahead of L a block's hash also covers the L tokens behind it, and is given only once they exist.",
    ),
    Check(
        "group-in-key",
        "缓存的键是哈希后接 4 字节大端的 KV cache group 编号，因此不同 group 的键不同。",
        "The key in the cache is the hash followed by the KV cache group's number in four bytes, big end first, so that groups"
        " do not mix.",
    ),
    Check(
        "never-raises",
        "任何允许的请求序列都不会触发 upstream 自己的断言或错误。",
        "No sequence of allowed requests trips an assertion or error of upstream's own.",
    ),
)


def observe(context: Context) -> None:
    """Fixed requests first, for what is compared between releases; then generated ones."""
    from vllm.utils.hashing import get_hash_fn_by_name

    digests = hash_examples.usable_digests(get_hash_fn_by_name)
    context.saw("algorithms", list(digests))
    context.saw("hasher.parameters", list[Json](block_hashes.hasher_parameters()))
    hash_examples.observe_examples(context, digests)
    hash_examples.observe_seed(context, digests)
    hash_examples.observe_granules(context, digests["sha256"])
    hash_examples.observe_group_keys(context)
    findings = Findings(context, "never-raises")
    hash_sequences.explore_text(context, findings, digests["sha256"])
    hash_sequences.explore_content(context, findings, digests["sha256"])
    hash_sequences.explore_lookahead(context, findings, digests["sha256"])
    findings.tell()
    require_verdicts(context, CHECKS)


PROBE = Probe(
    name="apc-hash",
    zh="前缀缓存的 block 怎样命名：什么进入哈希，什么不进入。",
    en="How blocks of the prefix cache are named: what enters their hash, and what does not.",
    upstream="vllm",
    tiers=("source",),
    paths=("vllm",),
    checks=CHECKS,
    version=1,
    observe=observe,
)
