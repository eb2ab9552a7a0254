"""Mooncake Store and Transfer Engine over TCP on loopback: writing once, leases, replicas, eviction, copies."""

from itertools import count

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.mooncake_eviction import eviction
from annotator.probes.experiments.mooncake_objects import (
    LEASE,
    borrower,
    dead_client,
    late_read,
    leases,
    objects,
    planes,
    replicas,
)
from annotator.probes.experiments.mooncake_transfers import copies, registration
from annotator.probes.rigs import mooncake_store
from annotator.probes.steady import steadily

CHECKS = (
    Check(
        "second-put-is-noop",
        "对已有的键再次 `put`：什么也不写，仍报告成功。",
        "A second `put` of a key writes nothing and still reports success.",
    ),
    Check(
        "lease-protects",
        "读或探测给对象续租，租约未到期时 `remove` 被拒；没人读过的对象没有租约。",
        "Reading and probing grant a lease, under which `remove` is refused; an object that nobody has asked for has none.",
    ),
    Check(
        "lookup-grants-lease",
        "查询副本列表成功即续读租约。",
        "A successful query of the replica list renews the read lease.",
    ),
    Check(
        "exist-renews-lease",
        "批量探测给每个存在的键续租。",
        "A batched existence check renews the lease of each key that exists.",
    ),
    Check(
        "lease-checked-after-read",
        "`Get` 在数据传完之后检查租约，过期则返回 `LEASE_EXPIRED`。",
        "`Get` checks the lease after the data has arrived and gives `LEASE_EXPIRED` if it has run out.",
    ),
    Check(
        "one-buffer-per-replica",
        "每个副本是一个段里的一段连续缓冲区，长度为对象总长；不同副本在不同段，段不够时副本变少而不失败。",
        "A replica is one buffer of the object's length in one segment; replicas are in different segments, and with too"
        " few segments there are fewer.",
    ),
    Check(
        "evicts-objects",
        "水位按字节、驱逐目标按对象个数，按租约到期的先后驱逐；租约内的与 hard pin 的不动。",
        "The watermark counts bytes, the target of eviction objects, in the order in which leases ended; those under a"
        " lease or hard-pinned stay.",
    ),
    Check(
        "full-put-fails",
        "一个副本也分不到时 `put` 立刻失败。",
        "A `put` that gets no replica at all fails at once.",
    ),
    Check(
        "no-segment-without-size",
        "`global_segment_size` 为 0 的客户端不提供内存段：单独时写不进，有别人提供时能写能读，副本不落在它这里。",
        "A client with `global_segment_size` 0 lends no segment: alone it cannot write, beside one that lends it writes and"
        " reads, and no replica is placed with it.",
    ),
    Check(
        "dead-client-unmounted",
        "客户端失联超过 `client_ttl`，master 卸下它的段，其中的副本随之消失。",
        "When a client is silent for longer than `client_ttl`, the master unmounts its segment and the replicas in it go.",
    ),
    Check(
        "two-planes",
        "`rpc_only` 客户端能查元数据，却不能搬数据。",
        "A client with protocol `rpc_only` can ask for metadata and move no data.",
    ),
    Check(
        "no-overlap",
        "登记内存拒绝长度为 0 的区间和与已登记区间重叠的区间，相邻则可。",
        "Registering memory refuses an empty range and one that overlaps a registered range; ranges may touch.",
    ),
    Check(
        "copies",
        "经 TCP 的单边读写按地址搬动字节，只到已登记的远端内存；对端不需要任何动作，也不需要 metadata 服务。",
        "One-sided reads and writes over TCP move bytes by address, to registered remote memory only; the peer does"
        " nothing, and no metadata service is needed.",
    ),
)


def observe(context: Context) -> None:
    """Runs the parts, each with servers of its own."""
    mooncake_store.prepare(context)
    names = count()
    steadily(context, lambda attempt: _two_clients(attempt, names))
    steadily(context, _dead_client)
    steadily(context, borrower)
    steadily(context, late_read)
    steadily(context, lambda attempt: eviction(attempt, names))
    steadily(context, _transfers)


def _two_clients(context: Context, names: "count[int]") -> None:
    with (
        mooncake_store.master(context, default_kv_lease_ttl=f"{int(LEASE * 1000)}ms") as address,
        mooncake_store.client(address) as first,
        mooncake_store.client(address) as second,
    ):
        objects(context, (first, second), names)
        leases(context, first)
        replicas(context, first)
        planes(context, address, first)


def _dead_client(context: Context) -> None:
    with (
        mooncake_store.master(context, client_ttl="2") as address,
        mooncake_store.client(address) as first,
    ):
        dead_client(context, address, first)


def _transfers(context: Context) -> None:
    with mooncake_store.engines(2) as (near, far):
        registration(context, near[0])
        copies(context, near[0], *far)


PROBE = Probe(
    name="mooncake",
    zh="Mooncake Store 与 Transfer Engine（loopback 上的 TCP）：只写一次、租约、副本、驱逐、拷贝",
    en="Mooncake Store and Transfer Engine over TCP on loopback: writing once, leases, replicas, eviction, copies",
    upstream="mooncake",
    tiers=("engine",),
    paths=(),
    checks=CHECKS,
    version=3,
    observe=observe,
    seconds=300,
    megabytes=2000,
)
