"""A taskset for `verifiers.v1`, which runs OpenEnv environments natively."""

from __future__ import annotations

from verifiers.v1.tasksets.openenv import OpenEnvConfig, OpenEnvEnv, OpenEnvTaskset

__all__ = ["OpenEnvEnv", "PalestraConfig", "PalestraTaskset"]


class PalestraConfig(OpenEnvConfig):
    """Creates one task for each task of a split, as listed by the server."""

    base_url: str | None = "http://127.0.0.1:8000/openenv/maze"
    split: str | None = "train"


class PalestraTaskset(OpenEnvTaskset):
    config: PalestraConfig
