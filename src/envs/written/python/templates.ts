const guess = `class GuessTheNumber:
    """Guess the number. Each answer gives the range that is left."""

    name = 'Guess the number'
    max_episode_steps = 4

    # Actions are words. step gets the index of the one that the agent chose.
    actions = [str(number) for number in range(1, 16)]

    # Every other word and phrase that observations consist of.
    words = ['from', 'to', 'found']

    # The module random has this seed as well, and a seed of its own before every step.
    def reset(self, seed):
        self.hidden = 1 + seed % 15
        self.low, self.high = 1, 15
        return self.observe(), {}

    # Returns the observation, the reward, whether the episode has ended or was cut, and info.
    def step(self, action):
        guess = int(self.actions[action])
        if guess == self.hidden:
            return 'found', 1, True, False, {}
        if guess < self.hidden:
            self.low = max(self.low, guess + 1)
        else:
            self.high = min(self.high, guess - 1)
        return self.observe(), 0, False, False, {}

    def observe(self):
        return f'from {self.low} to {self.high}'

    # Optional: shows how it is played. It is used for imitation and comparison only.
    def expert(self):
        return str((self.low + self.high) // 2)
`;

const lake = `import random

import gymnasium as gym

SIZE = 4
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]


class FrozenLake(gym.Env):
    """Walk over the frozen lake to the flag. Do not fall into a hole."""

    name = 'Frozen lake'
    max_episode_steps = 12
    action_space = gym.spaces.Discrete(4)
    actions = ['left', 'down', 'right', 'up']
    words = ['row', 'column', 'holes', 'none', 'fell', 'goal', '1', '2', '3', '4']

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
        while True:
            self.holes = set(random.sample(cells[1:-1], 3))
            self.at = (0, 0)
            if self.path():
                return self.observe(), {}

    # The rewards of a way to the flag add up to 1: each move earns what it gains in distance.
    def step(self, action):
        before = self.distance()
        self.at = self.after(self.at, action)
        if self.at in self.holes:
            return 'fell', 0, True, False, {'is_success': False}
        reward = (before - self.distance()) / (2 * SIZE - 2)
        if self.distance() == 0:
            return 'goal', reward, True, False, {'is_success': True}
        return self.observe(), reward, False, False, {}

    def distance(self):
        return (SIZE - 1 - self.at[0]) + (SIZE - 1 - self.at[1])

    def after(self, at, action):
        x, y = at[0] + MOVES[action][0], at[1] + MOVES[action][1]
        return (x, y) if 0 <= x < SIZE and 0 <= y < SIZE else at

    def observe(self):
        x, y = self.at
        near = [name for i, name in enumerate(self.actions) if self.after(self.at, i) in self.holes]
        return f'row {y + 1} column {x + 1} holes {" ".join(near) or "none"}'

    # The first moves of a shortest path, by breadth-first search.
    def path(self):
        paths, seen = [(self.at, [])], {self.at}
        for at, moves in paths:
            if at == (SIZE - 1, SIZE - 1):
                return moves
            for action in range(4):
                after = self.after(at, action)
                if after not in self.holes and after not in seen:
                    seen.add(after)
                    paths.append((after, [*moves, action]))
        return []

    def expert(self):
        return self.path()[0]

    # Optional: a drawing with one character per cell.
    def render(self):
        rows = [['.'] * SIZE for _ in range(SIZE)]
        for x, y in self.holes:
            rows[y][x] = 'O'
        rows[-1][-1] = 'G'
        rows[self.at[1]][self.at[0]] = '@'
        return '\\n'.join(''.join(row) for row in rows)
`;

export const pythonTemplates = [
  { name: 'Guess the number (Python)', language: 'python', code: guess },
  { name: 'Frozen lake (Python)', language: 'python', code: lake },
] as const;
