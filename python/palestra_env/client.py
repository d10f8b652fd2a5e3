"""A blocking OpenEnv client for one environment."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Literal

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

MOST_BYTES = 16 * 2**20


class PalestraError(Exception):
    """The server rejected a message, or the connection was lost.

    `code` is an OpenEnv error code, such as `VALIDATION_ERROR` or `CAPACITY_REACHED`, or
    `CONNECTION_LOST`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass(frozen=True)
class Result:
    """Result of a reset or a step."""

    observation: str
    """Text for the agent."""
    reward: float | None
    """Reward of this step, or None after a reset."""
    done: bool
    truncated: bool
    """Whether `max_turns` ended the episode."""
    understood: bool
    """Whether the last message was recognized as an action."""
    success: bool
    score: float
    """Sum of the rewards so far."""
    turn: int
    task_id: str
    prompt: str
    """The environment's instructions, the same in every result."""


@dataclass(frozen=True)
class Description:
    instruction: str
    turn_limit: int
    lexicon: tuple[str, ...]
    """Words and phrases from which all texts are composed."""
    train: tuple[str, ...]
    """Ids of the training tasks."""
    eval: tuple[str, ...]


class Client:
    """A session with one environment, which plays one episode at a time.

    >>> with Client("http://127.0.0.1:8000/openenv/maze") as env:
    ...     result = env.reset(seed=7)
    ...     while not result.done:
    ...         result = env.step("move up")
    """

    def __init__(self, base_url: str, *, token: str | None = None, timeout: float = 60) -> None:
        """Opens the connection.

        Args:
            base_url: URL of the environment, `http://HOST:PORT/openenv/PATH`.
            token: value of the server's `--token`.
            timeout: seconds to wait for the connection and for each reply.

        Raises:
            OSError: the server cannot be reached.

        A server at capacity accepts the connection and closes it. The first call then raises
        `PalestraError` with the code `CAPACITY_REACHED`.
        """
        scheme, separator, rest = base_url.rstrip("/").partition("://")
        if not separator:
            raise ValueError(f"base_url must begin with http:// or https://, not {base_url!r}")
        schemes = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
        if scheme not in schemes:
            raise ValueError(f"base_url must begin with http:// or https://, not {scheme}://")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._timeout = timeout
        self._open = ExitStack()
        self._socket = self._open.enter_context(
            connect(
                f"{schemes[scheme]}://{rest}/ws",
                additional_headers=headers,
                open_timeout=timeout,
                max_size=MOST_BYTES,
            )
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session."""
        self._open.close()

    def reset(
        self,
        *,
        seed: int | None = None,
        task_id: str | None = None,
        split: Literal["train", "eval"] | None = None,
        max_turns: int | None = None,
        **others: Any,
    ) -> Result:
        """Starts an episode.

        Args:
            seed: selects a task of `split`, the same for equal seeds; a random one if None.
            task_id: selects the task by id instead.
            split: the task split to select from.
            max_turns: truncates the episode after this many turns.
            others: other reset arguments; the server ignores unknown ones.
        """
        keywords = {
            "seed": seed,
            "task_id": task_id,
            "split": split,
            "max_turns": max_turns,
            **others,
        }
        data = {name: value for name, value in keywords.items() if value is not None}
        return _result(self._ask({"type": "reset", "data": data}))

    def step(self, message: str) -> Result:
        """Takes an action, given as text."""
        return _result(self._ask({"type": "step", "data": {"message": message}}))

    def state(self) -> dict[str, Any]:
        """Returns `episode_id`, `step_count`, `task_id` and `env`."""
        return self._ask({"type": "state"})

    def describe(self) -> Description:
        """Returns the environment's lexicon and tasks. Only Palestra servers support this."""
        request = {"jsonrpc": "2.0", "id": 1, "method": "palestra/describe"}
        reply = self._ask({"type": "mcp", "data": request})
        if "error" in reply:
            raise PalestraError("METHOD_NOT_FOUND", str(reply["error"].get("message")))
        told = reply["result"]
        return Description(
            instruction=told["instruction"],
            turn_limit=told["turn_limit"],
            lexicon=tuple(told["lexicon"]),
            train=tuple(told["train"]),
            eval=tuple(told["eval"]),
        )

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            self._socket.send(json.dumps(message))
            answer = json.loads(self._socket.recv(timeout=self._timeout))
        except ConnectionClosed as error:
            answer = self._refusal()
            if answer is None:
                raise PalestraError(
                    "CONNECTION_LOST", "the server closed the connection"
                ) from error
        except TimeoutError as error:
            # Close, because a late reply would be read as the reply to the next message.
            self.close()
            raise PalestraError(
                "CONNECTION_LOST", f"no answer within {self._timeout} seconds"
            ) from error
        data: dict[str, Any] = answer["data"]
        if answer["type"] == "error":
            raise PalestraError(data["code"], data["message"])
        return data

    def _refusal(self) -> dict[str, Any] | None:
        """Returns the error that the server sent before it closed the connection, if any."""
        try:
            answer: dict[str, Any] = json.loads(self._socket.recv(timeout=0))
        except (ConnectionClosed, TimeoutError):
            return None
        return answer if answer["type"] == "error" else None


def _result(data: dict[str, Any]) -> Result:
    seen = data["observation"]
    return Result(
        observation=seen["observation"],
        reward=data["reward"],
        done=data["done"],
        truncated=seen["truncated"],
        understood=seen["understood"],
        success=seen["success"],
        score=seen["score"],
        turn=seen["turn"],
        task_id=seen["task_id"],
        prompt=seen["prompt"],
    )
