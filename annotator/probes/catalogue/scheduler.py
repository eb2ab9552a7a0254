"""Who computes how many tokens in a step, and who has to give way."""

from functools import partial

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.batch_defaults import observe_defaults, observe_limits
from annotator.probes.experiments.block_pool import return_rule
from annotator.probes.experiments.scheduler import SETTINGS, observe_steps
from annotator.probes.experiments.scheduler_cases import (
    observe_adapters,
    observe_drafts,
    observe_long_prefills,
    observe_recomputation,
    observe_self_preemption,
)
from annotator.probes.rigs.vllm_scheduler import make_rig
from annotator.probes.sequences import Findings, require_verdicts

CHECKS = (
    Check(
        "budget-kept",
        zh="一步调度的 token 总数不超过 `max_num_batched_tokens`。",
        en="A step schedules no more tokens than `max_num_batched_tokens`.",
    ),
    Check(
        "total-is-sum",
        zh="`total_num_scheduled_tokens` 等于 `num_scheduled_tokens` 各值之和。",
        en="`total_num_scheduled_tokens` equals the sum of the values of `num_scheduled_tokens`.",
    ),
    Check(
        "seats-kept",
        zh="运行中的请求数不超过 `max_num_seqs`。",
        en="No more requests run than `max_num_seqs`.",
    ),
    Check(
        "running-first",
        zh="先满足运行中的请求：只要有运行中的请求没拿够 token，这一步就不准入等待的请求。",
        en="Running requests come first: while one of them is short of tokens, no waiting request is admitted.",
    ),
    Check(
        "prefill-in-chunks",
        zh="开启 chunked prefill 时，只有预算用尽才会把一个请求切成块；关闭时从不切块。",
        en="With chunked prefill a request is computed in part only when the budget is used up; without it, never.",
    ),
    Check(
        "long-prefill-capped",
        zh="有其他请求时，`long_prefill_token_threshold` 限制单个请求一步的 token 数。",
        en="With other requests about, `long_prefill_token_threshold` caps the tokens of one request in a step.",
    ),
    Check(
        "first-come-first-served",
        zh="FCFS 下按等待队列的顺序准入，不越过排在前面的请求。",
        en="Under FCFS waiting requests are admitted in the order of the queue; none overtakes one before it.",
    ),
    Check(
        "urgent-first",
        zh="priority 策略下按（优先级，到达时间）从小到大准入。",
        en="Under the priority policy waiting requests are admitted by priority, then by arrival.",
    ),
    Check(
        "preempts-last",
        zh="FCFS 下块不够时抢占运行队列中最后一个请求。",
        en="Under FCFS the victim of a preemption is the last of the running requests.",
    ),
    Check(
        "preempts-least-urgent",
        zh="priority 策略下抢占优先级数值最大（相同则到达最晚）的运行中请求。",
        en="Under the priority policy the victim is the running request with the largest priority value, of equals "
        "the latest to arrive.",
    ),
    Check(
        "preempted-starts-over",
        zh="被抢占的请求交还全部块，`num_computed_tokens` 为 0；FCFS 下回到等待队列最前面。",
        en="A preempted request gives back all its blocks and has `num_computed_tokens` 0; under FCFS it is at the "
        "front of the waiting queue.",
    ),
    Check(
        "preempting-step-admits-none",
        zh="发生抢占的那一步不从等待队列准入任何请求。",
        en="A step in which a request was preempted admits nothing from the waiting queue.",
    ),
    Check(
        "drafts-use-budget",
        zh="运行中请求的草稿 token 计入 `num_scheduled_tokens`，并占用 token 预算。",
        en="The drafts of a running request count in its `num_scheduled_tokens` and are taken from the token budget.",
    ),
    Check(
        "rejected-rolled-back",
        zh="被拒绝的草稿数会从 `num_computed_tokens` 中减去。",
        en="The number of rejected drafts is subtracted from `num_computed_tokens`.",
    ),
    Check(
        "adapters-overtaken",
        zh="会使一步内的适配器超过 `max_loras` 的等待请求被跳过，后面的请求仍可被调度。",
        en="A waiting request that would bring more adapters into a step than `max_loras` is passed over, and later "
        "requests are scheduled all the same.",
    ),
    Check(
        "tokens-at-least-seats",
        zh="`max_num_batched_tokens` 小于 `max_num_seqs` 时抛 `ValueError`，否则接受。",
        en="`max_num_batched_tokens` below `max_num_seqs` raises `ValueError`, anything else is accepted.",
    ),
    Check(
        "defaults-by-gpu",
        zh="未指定时，一步的 token 与请求上限由 GPU 的显存、名字（A100 除外）和用法决定。",
        en="Where nothing is said, the limits of a step follow from the GPU's memory, its name (A100 apart) and who asks.",
    ),
    Check(
        "steps-as-predicted",
        zh="每一步的决定（谁、多少 token、谁被抢占、块表）都与参考模型一致，包括被抢占后只重算缓存未命中的部分。",
        en="Every step decides as the reference model does (who, how many tokens, who gives way, block tables); a "
        "resumed request recomputes all that the prefix cache no longer holds.",
    ),
    Check(
        "all-finish",
        zh="只要单个请求放得下，所有请求最终都生成 `max_tokens` 个 token，抢占不丢已生成的 token。",
        en="If each request fits alone, all generate their `max_tokens` in the end; preemption loses no token.",
    ),
    Check(
        "no-leak",
        zh="所有请求完成或中止后，块全部空闲，没有残留引用。",
        en="When all requests have finished or been aborted, all blocks are free and no reference is left.",
    ),
    Check(
        "never-raises",
        zh="任何请求到达、推进和中止的顺序都不会触发上游自己的断言或异常。",
        en="No order of arrivals, steps and aborts trips an assertion or error of upstream's own.",
    ),
)


def observe(context: Context) -> None:
    """Looks at single cases first, then drives scheduler and model through generated lives of requests."""
    rig = make_rig(context, SETTINGS)
    findings = Findings(context, raises="never-raises")
    step_goes_on = findings.case(lambda: observe_self_preemption(context, rig), otherwise=True)
    for look in (observe_recomputation, observe_long_prefills, observe_drafts, observe_adapters):
        findings.case(partial(look, context, rig), otherwise=None)
    observe_steps(context, findings, rig, return_rule(context)[0], step_goes_on=step_goes_on)
    findings.tell()
    observe_defaults(context)
    observe_limits(context)
    require_verdicts(context, CHECKS)


PROBE = Probe(
    name="scheduler",
    zh="一步调度：token 预算、chunked prefill、先运行后等待、抢占与重算、优先级策略（真实 Scheduler，无模型）。",
    en="One step of scheduling: token budget, chunked prefill, running before waiting, preemption and recomputation, "
    "priority policy (a real Scheduler and no model).",
    upstream="vllm",
    tiers=("source",),
    paths=("vllm",),
    checks=CHECKS,
    version=2,
    observe=observe,
    seconds=240,
    megabytes=2000,
)
