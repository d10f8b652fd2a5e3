"""A taskset for verifiers (`verifiers.v1`), which plays OpenEnv environments itself."""

from __future__ import annotations

from verifiers.v1.tasksets.openenv import OpenEnvConfig, OpenEnvEnv, OpenEnvTaskset

__all__ = ["OpenEnvEnv", "PalestraConfig", "PalestraTaskset"]


class PalestraConfig(OpenEnvConfig):
    """One task for each task of a split, as the server lists them."""

    base_url: str | None = "http://127.0.0.1:8000/openenv/maze"
    split: str | None = "train"


class PalestraTaskset(OpenEnvTaskset):
    config: PalestraConfig
