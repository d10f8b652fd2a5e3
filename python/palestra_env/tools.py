"""Environments as classes whose methods are tools, for TRL's `environment_factory`.

TRL calls `reset` with the columns of a dataset row. It offers every other public method to the
model as a tool, described by its docstring and types. Reward functions read the attribute `reward`.
"""

from __future__ import annotations

from .client import Client, PalestraError, Result


class TextTools:
    """Base class of the tools of an environment. Set `base_url` in a subclass, or use `tools`."""

    base_url = "http://127.0.0.1:8000/openenv/maze"
    token: str | None = None

    def __init__(self) -> None:
        self._client: Client | None = None
        self._last: Result | None = None

    @property
    def reward(self) -> float:
        """Sum of the rewards in this episode."""
        return 0.0 if self._last is None else self._last.score

    @property
    def success(self) -> bool:
        return self._last is not None and self._last.success

    @property
    def done(self) -> bool:
        return self._last is not None and self._last.done

    def reset(
        self,
        task_id: str | None = None,
        seed: int | None = None,
        split: str | None = None,
        **_: object,
    ) -> str:
        # Reconnect if the server has closed the session.
        try:
            self._last = self._connected().reset(task_id=task_id, seed=seed, split=split)  # type: ignore[arg-type]
        except PalestraError as error:
            if error.code != "CONNECTION_LOST" or self._client is None:
                raise
            self._client = None
            self._last = self._connected().reset(task_id=task_id, seed=seed, split=split)  # type: ignore[arg-type]
        return f"{self._last.prompt}\n\n{self._last.observation}"

    def _connected(self) -> Client:
        if self._client is None:
            self._client = Client(self.base_url, token=self.token)
        return self._client

    def _act(self, message: str) -> str:
        if self._last is None:
            raise ValueError("call reset first")
        if self._last.done:
            raise ValueError("the episode is over")
        self._last = self._connected().step(message)
        return self._last.observation


class ActTools(TextTools):
    def act(self, message: str) -> str:
        """Takes one action.

        Args:
            message: The action, in the words of the environment.

        Returns:
            What the environment answers.
        """
        return self._act(message)


class MazeTools(TextTools):
    def move(self, direction: str) -> str:
        """Moves one cell.

        Args:
            direction: up, down, left or right.

        Returns:
            Where you are now.
        """
        return self._act(f"move {direction}")


class WordleTools(TextTools):
    base_url = "http://127.0.0.1:8000/openenv/wordle"

    def guess(self, word: str) -> str:
        """Guesses the hidden word.

        Args:
            word: A word of five letters.

        Returns:
            A mark for each letter: g in the right place, y elsewhere in the word, b not in the word.
        """
        return self._act(" ".join(word.strip().lower()))


class TextCraftTools(TextTools):
    base_url = "http://127.0.0.1:8000/openenv/textcraft"

    def get(self, count: int, item: str) -> str:
        """Takes items that need no crafting.

        Args:
            count: How many.
            item: The name of the item.

        Returns:
            What you have got.
        """
        return self._act(f"get {count} {item}")

    def craft(self, recipe: str) -> str:
        """Crafts an item by one of the listed recipes.

        Args:
            recipe: The recipe without its first word, such as "1 stick using 2 oak planks".

        Returns:
            What you have made.
        """
        return self._act(f"craft {recipe.removeprefix('craft ')}")

    def inventory(self) -> str:
        """Lists what you have.

        Returns:
            The inventory.
        """
        return self._act("inventory")


class SearchTools(TextTools):
    base_url = "http://127.0.0.1:8000/openenv/searchqa"

    def search(self, query: str) -> str:
        """Searches the passages.

        Args:
            query: What to look for.

        Returns:
            Passages that match.
        """
        return self._act(f"<search>{query}</search>")

    def answer(self, text: str) -> str:
        """Answers the question.

        Args:
            text: The answer.

        Returns:
            Whether it is right.
        """
        return self._act(f"<answer>{text}</answer>")


NAMED: dict[str, type[TextTools]] = {
    "maze": MazeTools,
    "wordle": WordleTools,
    "textcraft": TextCraftTools,
    "searchqa": SearchTools,
}


def tools(base_url: str, token: str | None = None) -> type[TextTools]:
    """Returns the class for an environment: with its named tools if any, otherwise with `act`."""
    path = base_url.rstrip("/").rpartition("/")[2]
    parent = NAMED.get(path, ActTools)
    return type(parent.__name__, (parent,), {"base_url": base_url, "token": token})
