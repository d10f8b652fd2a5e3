/**
 * Runs in Pyodide before an environment's code. It offers `answer`, through which the host defines
 * programs and calls them with JSON in and out.
 *
 * A state is the seed of its episode and the actions since, with the seed of each step. The objects
 * of recent states are kept; others are recreated by replay. A state can therefore be branched without
 * copying objects of an unknown type, and equal states have equal text.
 */

/** Maximum number of loop iterations, function calls and resumed generators per call. */
export const MOST_EVENTS = 1_000_000;

/** Name of the user's file in tracebacks. */
export const FILE = 'environment.py';

export const bootstrap = `
def _boot():
    import builtins, gc, inspect, json, linecache, random, sys, types
    # Loaded here, because the imports of the code are restricted to these.
    import bisect, collections, copy, dataclasses, enum, fractions, functools, heapq, itertools
    import math, operator, re, statistics, string, textwrap, typing

    ALLOWED = {
        'bisect', 'collections', 'copy', 'dataclasses', 'enum', 'fractions', 'functools',
        'gymnasium', 'heapq', 'itertools', 'math', 'operator', 'random', 're', 'statistics',
        'string', 'textwrap', 'typing', '__future__',
    }
    MOST_LIVE = 4096
    EVENTS_OVER = 'events over'

    class Problem(Exception):
        """An error of the code that names what to change."""

    class EventsOver(BaseException):
        pass

    # Gymnasium's names, so that an environment written for it needs few changes.
    gymnasium = types.ModuleType('gymnasium')
    spaces = types.ModuleType('gymnasium.spaces')

    class Discrete:
        def __init__(self, n, seed=None, start=0):
            self.n, self.start = int(n), int(start)

        def contains(self, x):
            return isinstance(x, int) and self.start <= x < self.start + self.n

    class MultiDiscrete:
        def __init__(self, nvec, dtype=None, seed=None):
            self.nvec = [int(n) for n in nvec]

    class Text:
        def __init__(self, max_length, **_):
            self.max_length = max_length

    class Env:
        metadata = {}

        def reset(self, *, seed=None, options=None):
            self.np_random = random.Random(seed)

        def close(self):
            pass

    for one in (Discrete, MultiDiscrete, Text):
        setattr(spaces, one.__name__, one)
    gymnasium.Env, gymnasium.spaces = Env, spaces

    def restricted_import(name, globals=None, locals=None, fromlist=(), level=0):
        root = name.split('.')[0]
        if level != 0 or root not in ALLOWED:
            raise ImportError(f'{name} is not available; available are {", ".join(sorted(ALLOWED - {"__future__"}))}')
        if root == 'gymnasium':
            return spaces if name == 'gymnasium.spaces' and fromlist else gymnasium
        return builtins.__import__(name, globals, locals, fromlist, level)

    safe = {name: value for name, value in vars(builtins).items()
            if name not in ('breakpoint', 'exit', 'quit', 'help', 'input', 'open', 'license', 'credits', 'copyright')}
    safe['__import__'] = restricted_import
    safe['print'] = lambda *values, **names: None

    # Counts what a loop or recursion does. It is the same on every machine.
    monitoring = sys.monitoring
    TOOL = monitoring.DEBUGGER_ID
    monitoring.use_tool_id(TOOL, 'palestra')
    # Events of the current call, or of the current step of a replay, and events before it.
    counted = {'call': 0, 'earlier': 0}

    def count(*_):
        counted['call'] += 1
        if counted['call'] > ${MOST_EVENTS}:
            raise EventsOver()

    def start_count():
        counted['earlier'] += counted['call']
        counted['call'] = 0

    events = monitoring.events
    for event in (events.PY_START, events.PY_RESUME, events.JUMP):
        monitoring.register_callback(TOOL, event, count)

    def shown(value):
        text = repr(value)
        return text if len(text) <= 60 else text[:59] + '…'

    def text_of(value, name):
        if isinstance(value, str):
            text = value
        elif isinstance(value, bool):
            text = 'yes' if value else 'no'
        elif isinstance(value, (int, float)):
            text = str(value)
        elif isinstance(value, (list, tuple)):
            text = ' '.join(text_of(item, name) for item in value)
        elif isinstance(value, dict):
            text = ' '.join(f'{key} {text_of(item, name)}' for key, item in value.items())
        else:
            raise Problem(f'{name} must return an observation of text or numbers, but returned {shown(value)}')
        if text.strip() == '':
            raise Problem(f'{name} must return a non-empty observation')
        return text

    def sizes_of(space):
        if hasattr(space, 'n'):
            return space.n
        return max(space.nvec, default=0) if hasattr(space, 'nvec') else 0

    class Program:
        def __init__(self, code):
            namespace = {'__name__': 'environment', '__builtins__': safe}
            module = types.ModuleType('environment')
            sys.modules['environment'] = module
            exec(compile(code, '${FILE}', 'exec'), namespace)
            vars(module).update(namespace)
            found = [value for value in namespace.values() if isinstance(value, type)
                     and value.__module__ == 'environment' and hasattr(value, 'step')]
            if not found:
                raise Problem('the code must define a class with the methods reset and step')
            self.type = found[-1]
            for name in ('reset', 'step'):
                if not callable(getattr(self.type, name, None)):
                    raise Problem(f'the class {self.type.__name__} must have a method {name}')
            self.live = {}
            one = self.type()
            self.actions = self.names_of(one)
            self.about = self.describe(one)

        def names_of(self, one):
            actions = getattr(one, 'actions', None)
            if actions is None:
                space = getattr(one, 'action_space', None)
                if not hasattr(space, 'n'):
                    raise Problem(f'the class {self.type.__name__} must have actions, a list of words, or action_space, a Discrete space')
                return [str(space.start + i) for i in range(space.n)]
            if not isinstance(actions, (list, tuple)) or not all(isinstance(a, str) for a in actions) or not actions:
                raise Problem(f'actions must be a list of words, but is {shown(actions)}')
            return list(actions)

        def describe(self, one):
            turns = getattr(one, 'max_episode_steps', None)
            words = getattr(one, 'words', ())
            if isinstance(words, (str, bytes)) or not hasattr(words, '__iter__'):
                raise Problem(f'words must be a list of texts, but is {shown(words)}')
            numbers = [str(i) for i in range(sizes_of(getattr(one, 'observation_space', None)))]
            methods = [name for name, method in (('reset', 'reset'), ('step', 'step'), ('actions', 'step'),
                       ('expert', 'expert'), ('draw', 'render')) if callable(getattr(one, method, None))]
            return {
                'name': getattr(one, 'name', None) or self.type.__name__,
                'about': inspect.cleandoc(self.type.__doc__ or ''),
                'turns': turns,
                'tasks': getattr(one, 'tasks', None),
                'words': list(dict.fromkeys([*words, *numbers, *self.actions])),
                'functions': methods,
            }

        def index_of(self, action):
            space = getattr(self.type, 'action_space', None)
            return self.actions.index(action) + getattr(space, 'start', 0)

        def admissible(self, env):
            masks = getattr(env, 'action_masks', None)
            if not callable(masks):
                return self.actions
            mask = list(masks())
            if len(mask) != len(self.actions):
                raise Problem(f'action_masks must return {len(self.actions)} items, one for each action, but returned {len(mask)}')
            return [action for action, allowed in zip(self.actions, mask) if allowed]

        def begin(self, seed):
            env = self.type()
            random.seed(seed)
            result = env.reset(seed=seed)
            if not isinstance(result, tuple) or len(result) != 2:
                raise Problem(f'reset must return (observation, info), but returned {shown(result)}')
            return env, text_of(result[0], 'reset')

        def advance(self, env, action, seed):
            random.seed(seed)
            result = env.step(self.index_of(action))
            if not isinstance(result, tuple) or len(result) != 5:
                raise Problem(f'step must return (observation, reward, terminated, truncated, info), but returned {shown(result)}')
            return result

        def keep(self, state, env):
            self.live[state] = env
            if len(self.live) > MOST_LIVE:
                del self.live[next(iter(self.live))]

        def at(self, state, take=False):
            """The object in a state; taken if it is about to change."""
            env = self.live.pop(state, None) if take else self.live.get(state)
            if env is None:
                seed, steps = json.loads(state)
                env, _ = self.begin(seed)
                for action, step_seed in steps:
                    start_count()
                    self.advance(env, action, step_seed)
                start_count()
                if not take:
                    self.keep(state, env)
            return env

        def reset(self, task, seed):
            env, text = self.begin(seed)
            state = json.dumps([seed, []])
            actions = self.admissible(env)
            self.keep(state, env)
            return {'state': state, 'text': text, 'actions': actions}

        def step(self, state, action, seed):
            env = self.at(state, take=True)
            observation, reward, terminated, truncated, info = self.advance(env, action, seed)
            if isinstance(reward, bool) or not isinstance(reward, (int, float)) or reward != reward or abs(reward) == float('inf'):
                raise Problem(f'the reward must be a finite number, but is {shown(reward)}')
            done = bool(terminated or truncated)
            success = info.get('is_success') if isinstance(info, dict) else None
            origin, steps = json.loads(state)
            after = json.dumps([origin, [*steps, [action, seed]]])
            actions = [] if done else self.admissible(env)
            if not done:
                self.keep(after, env)
            return {
                'state': after, 'text': text_of(observation, 'step'), 'reward': reward, 'done': done,
                'success': bool(terminated and reward > 0) if success is None else bool(success),
                'actions': actions,
            }

        def expert(self, state):
            choice = self.at(state).expert()
            if isinstance(choice, int) and not isinstance(choice, bool):
                start = getattr(getattr(self.type, 'action_space', None), 'start', 0)
                if not 0 <= choice - start < len(self.actions):
                    raise Problem(f'expert must return an action, but returned {shown(choice)}')
                choice = self.actions[choice - start]
            if not isinstance(choice, str):
                raise Problem(f'expert must return an action, but returned {shown(choice)}')
            return {'action': choice, 'thought': None}

        def draw(self, state):
            text = self.at(state).render()
            if not isinstance(text, str):
                raise Problem(f'render must return a text with one line per row, but returned {shown(text)}')
            rows = text.strip('\\n').split('\\n')
            width = max(map(len, rows))
            return [row.ljust(width) for row in rows]

    programs = {}

    def line_of(error):
        if isinstance(error, SyntaxError) and error.filename == '${FILE}':
            return error.lineno
        at, line = error.__traceback__, None
        while at is not None:
            if at.tb_frame.f_code.co_filename == '${FILE}':
                line = at.tb_lineno
            at = at.tb_next
        return line

    def problem_of(error):
        if isinstance(error, EventsOver):
            return EVENTS_OVER
        if isinstance(error, MemoryError):
            return 'MemoryError'
        if isinstance(error, RecursionError):
            return 'RecursionError'
        if isinstance(error, Problem):
            return str(error)
        if isinstance(error, SyntaxError):
            return f'{type(error).__name__}: {error.msg}'
        return f'{type(error).__name__}: {error}'[:300]

    def perform(kind, number, given):
        if kind == 'define':
            programs[number] = Program(*given)
            return programs[number].about
        if kind == 'dispose':
            programs.pop(number, None)
            return None
        return getattr(programs[number], kind)(*given)

    def answer(request):
        kind, number, given = json.loads(request)
        counted['call'] = counted['earlier'] = 0
        monitoring.set_events(TOOL, events.PY_START | events.PY_RESUME | events.JUMP)
        try:
            try:
                result = {'value': perform(kind, number, given)}
            finally:
                monitoring.set_events(TOOL, 0)
            text = json.dumps({**result, 'events': counted['earlier'] + counted['call']})
        except BaseException as error:
            found = {'problem': problem_of(error), 'line': line_of(error)}
            text = json.dumps({'error': found, 'events': counted['earlier'] + counted['call']})
            # A traceback keeps the frames, and with them what filled the memory.
            error.__traceback__ = None
        return text

    return answer

answer = _boot()
del _boot
`;
