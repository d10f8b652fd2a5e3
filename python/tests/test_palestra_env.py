"""Plays against a server: `PALESTRA_URL=http://127.0.0.1:8000 python3 -m unittest discover tests`."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import typing
import unittest

from websockets.sync.server import ServerConnection, serve

from palestra_env import Client, PalestraError

URL = os.environ.get("PALESTRA_URL", "http://127.0.0.1:8000")
MAZE = f"{URL}/openenv/maze"


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


class ClientTest(unittest.TestCase):
    def test_plays_an_episode(self) -> None:
        with Client(MAZE) as env:
            result = env.reset(task_id="maze_18")
            self.assertEqual((result.reward, result.done, result.turn), (None, False, 0))
            self.assertIn("Your current position", result.observation)
            result = env.step("fly")
            self.assertEqual((result.reward, result.understood), (0, False))
            result = env.step("move down")
            self.assertTrue(result.done and result.success and not result.truncated)
            self.assertEqual((result.reward, result.score), (1, 1))
            self.assertEqual(env.state()["step_count"], 2)
            with self.assertRaisesRegex(PalestraError, "EXECUTION_ERROR"):
                env.step("move down")

    def test_repeats_a_seed_and_truncates(self) -> None:
        with Client(MAZE) as one, Client(MAZE) as other:
            self.assertEqual(one.reset(seed=3, max_turns=1), other.reset(seed=3, max_turns=1))
            self.assertTrue(one.step("move up").truncated)

    def test_describes_the_environment(self) -> None:
        with Client(MAZE) as env:
            described = env.describe()
        self.assertIn("move up", described.lexicon)
        self.assertEqual(len(described.train), 25)

    def test_refuses_another_scheme(self) -> None:
        with self.assertRaisesRegex(ValueError, "http"):
            Client("ftp://127.0.0.1/openenv/maze")

    def test_reports_a_lost_connection(self) -> None:
        env = Client(MAZE)
        env.close()
        with self.assertRaisesRegex(PalestraError, "CONNECTION_LOST"):
            env.reset()

    def test_reports_a_server_at_capacity(self) -> None:
        refused = threading.Event()
        error = {"code": "CAPACITY_REACHED", "message": "all 1 sessions are in use"}

        def refuse(socket: ServerConnection) -> None:
            socket.send(json.dumps({"type": "error", "data": error}))
            socket.close(1013)
            refused.set()

        with serve(refuse, "127.0.0.1", 0) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            with Client(f"http://127.0.0.1:{server.socket.getsockname()[1]}/openenv/maze") as env:
                self.assertTrue(refused.wait(10))
                with self.assertRaisesRegex(PalestraError, "CAPACITY_REACHED: all 1 sessions"):
                    env.reset()
                with self.assertRaisesRegex(PalestraError, "CONNECTION_LOST"):
                    env.reset()


class ToolsTest(unittest.TestCase):
    def test_offers_named_methods(self) -> None:
        from palestra_env.tools import tools

        env = tools(MAZE)()
        first = env.reset(task_id="maze_18", other_column=1)
        self.assertIn("You walk through a maze", first)
        self.assertEqual(env.move("down"), "Success")  # type: ignore[attr-defined]
        self.assertEqual((env.reward, env.success, env.done), (1, True, True))
        with self.assertRaisesRegex(ValueError, "over"):
            env.move("down")  # type: ignore[attr-defined]

    def test_documents_every_tool_and_parameter(self) -> None:
        from palestra_env.tools import NAMED, ActTools

        for kind in [*NAMED.values(), ActTools]:
            for name, method in inspect.getmembers(kind, inspect.isfunction):
                if name.startswith("_") or name == "reset":
                    continue
                hints = typing.get_type_hints(method)
                self.assertIs(hints["return"], str)
                for parameter in list(inspect.signature(method).parameters)[1:]:
                    self.assertIn(parameter, hints)
                    self.assertIn(f"{parameter}: ", method.__doc__ or "")

    def test_plays_every_environment_with_named_tools(self) -> None:
        from palestra_env.tools import tools

        env = tools(f"{URL}/openenv/wordle")()
        env.reset(seed=0)
        self.assertNotIn("not", env.guess("apple")[:4])  # type: ignore[attr-defined]
        self.assertTrue(env._last and env._last.understood)
        env = tools(f"{URL}/openenv/textcraft")()
        env.reset(seed=0)
        env.inventory()  # type: ignore[attr-defined]
        self.assertTrue(env._last and env._last.understood)
        env = tools(f"{URL}/openenv/searchqa")()
        env.reset(seed=0)
        env.search("river")  # type: ignore[attr-defined]
        self.assertTrue(env._last and env._last.understood)
        env = tools(f"{URL}/openenv/babyai")()
        env.reset(seed=0)
        env.act("turn left")  # type: ignore[attr-defined]
        self.assertTrue(env._last and env._last.understood)


@unittest.skipUnless(has("setuptools"), "setuptools is not installed")
class PackageTest(unittest.TestCase):
    def test_builds(self) -> None:
        source = pathlib.Path(__file__).parent.parent
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "python")
            shutil.copytree(source, copy)
            build = "import setuptools.build_meta as b; print(b.build_sdist('.'))"
            subprocess.run([sys.executable, "-c", build], cwd=copy, check=True, capture_output=True)
            (archive,) = copy.glob("*.tar.gz")
            with tarfile.open(archive) as files:
                names = [name.partition("/")[2] for name in files.getnames()]
        for name in ["PKG-INFO", "palestra_env/client.py", "palestra_env/py.typed"]:
            self.assertIn(name, names)


@unittest.skipUnless(has("gymnasium"), "gymnasium is not installed")
class GymnasiumTest(unittest.TestCase):
    def test_makes_and_plays(self) -> None:
        import gymnasium

        from palestra_env.gymnasium_env import register_all

        register_all()
        env = gymnasium.make("palestra/Maze-v0", base_url=MAZE, max_turns=2)
        observation, info = env.reset(seed=7)
        self.assertEqual(env.reset(seed=7)[0], observation)
        self.assertEqual(info["turn"], 0)
        self.assertTrue(env.observation_space.contains(observation))
        self.assertTrue(env.action_space.contains("move up"))
        env.reset(options={"task_id": "maze_18"})
        _, reward, terminated, truncated, info = env.step("move down")
        self.assertEqual((reward, terminated, truncated, info["success"]), (1, True, False, True))
        env.reset(seed=7)
        env.step("fly")
        self.assertEqual(env.step("fly")[2:4], (False, True))
        env.close()


@unittest.skipUnless(has("openenv"), "openenv is not installed")
class OpenEnvTest(unittest.TestCase):
    def test_is_played_by_the_generic_client(self) -> None:
        from openenv.core import GenericEnvClient

        with GenericEnvClient(base_url=MAZE).sync() as env:
            env.reset(task_id="maze_18")
            result = env.step({"message": "move down"})
            self.assertEqual((result.reward, result.done), (1, True))


if __name__ == "__main__":
    unittest.main()
