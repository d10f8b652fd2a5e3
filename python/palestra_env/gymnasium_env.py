"""Gymnasium environments: `gymnasium.make("palestra/Maze-v0", base_url=…)`."""

from __future__ import annotations

import string
from typing import Any

import gymnasium
from gymnasium import spaces

from .client import Client, Result

PATHS = (
    "maze", "wordle", "babyai", "textcraft", "searchqa", "alfworld", "sciworld", "webshop", "webarena",
    "todo", "weather", "movie", "academia", "sheet", "bird", "chain", "ledger", "columns",
)  # fmt: skip

MOST_OBSERVATION = 20_000
MOST_ACTION = 2_000


class PalestraEnv(gymnasium.Env[str, str]):
    """A text environment. `reset` accepts the options `task_id` and `split`."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        timeout: float = 60,
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """
        Args:
            base_url: URL of the environment, `http://HOST:PORT/openenv/PATH`.
            token: value of the server's `--token`.
            timeout: seconds to wait for the connection and for each reply.
            max_turns: truncates episodes after this many turns.
        """
        self._client = Client(base_url, token=token, timeout=timeout)
        self._max_turns = max_turns
        self.render_mode = render_mode
        self._last: Result | None = None
        words = "".join(self._client.describe().lexicon)
        characters = sorted(set(string.printable) | set(words))
        charset = "".join(characters)
        self.observation_space = spaces.Text(MOST_OBSERVATION, min_length=0, charset=charset)
        self.action_space = spaces.Text(MOST_ACTION, min_length=0, charset=charset)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is None and "task_id" not in (options or {}):
            # Use the environment's random number generator, which an earlier reset may have seeded.
            seed = int(self.np_random.integers(2**31))
        self._last = self._client.reset(seed=seed, max_turns=self._max_turns, **(options or {}))
        return self._last.observation, _info(self._last)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        result = self._client.step(action)
        self._last = result
        terminated = result.done and not result.truncated
        reward = float(result.reward or 0)
        return result.observation, reward, terminated, result.truncated, _info(result)

    def render(self) -> str | None:  # type: ignore[override]
        return None if self._last is None else self._last.observation

    def close(self) -> None:
        self._client.close()


def _info(result: Result) -> dict[str, Any]:
    return {
        "task_id": result.task_id,
        "turn": result.turn,
        "score": result.score,
        "success": result.success,
        "understood": result.understood,
        "prompt": result.prompt,
    }


def register_all() -> None:
    """Registers all environments. Gymnasium calls this if the package is installed."""
    for path in PATHS:
        name = f"palestra/{path.capitalize()}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point="palestra_env.gymnasium_env:PalestraEnv",
                disable_env_checker=True,
                order_enforce=True,
                kwargs={"base_url": f"http://127.0.0.1:8000/openenv/{path}"},
            )
