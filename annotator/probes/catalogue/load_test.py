"""What `vllm bench serve` counts as good, and when it sends its requests."""

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.load_test import observe_arrivals, observe_goodput

CHECKS = (
    Check(
        "goodput-meets-all-limits",
        "`request_goodput` 是同时满足全部 SLO 的成功请求数除以运行时长；不除以 GPU 数，也不要求达标比例。",
        "`request_goodput` is the number of successful requests that meet all SLOs, divided by the duration of the run; neither GPUs nor a share of attainment enter.",
    ),
    Check(
        "arrivals-rescaled",
        "没有 ramp-up 且速率有限时，各请求的发送时刻按比例缩放，最后一个落在 请求数 / `request_rate` 秒。",
        "Without a ramp-up and at a finite rate, the times at which requests are sent are rescaled so that the last is due at requests / `request_rate` seconds.",
    ),
)


def observe(context: Context) -> None:
    """Runs the parts."""
    observe_goodput(context)
    observe_arrivals(context)


PROBE = Probe(
    name="load-test",
    zh="`vllm bench serve` 把什么算作达标，以及何时发出请求。",
    en="What `vllm bench serve` counts as good, and when it sends its requests.",
    upstream="vllm",
    tiers=("source",),
    paths=("vllm",),
    checks=CHECKS,
    version=1,
    observe=observe,
    megabytes=2000,
)
