import { Autocomplete, Button } from '@mantine/core';
import { IconBulb, IconCornerDownLeft } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Demonstration, Environment } from '../../../envs/types.ts';
import { environmentView } from '../../../envs/views.ts';
import type { EnvironmentRef, EpisodeRecord } from '../../../runs/episode.ts';
import { several } from '../../../runs/numbers.ts';
import { act, beginTask, isOver, type Reenactment, reenact } from '../../../runs/reenact.ts';
import { isBrowserShortcut, useKeys } from '../../shell/comfort/keys.ts';
import { Dialogue } from '../../shell/episode/dialogue.tsx';
import { environmentOf } from '../../shell/episode/environments.ts';
import { Picture } from '../../shell/episode/picture.tsx';
import { chooseEnvironment, chooseTask, usePlayback } from '../../shell/episode/playback.ts';
import { useLab } from '../../shell/lab/store.ts';
import { choiceOf, keyName, MOST_BUTTONS, matching, meantAction } from './actions.ts';
import { useExpertResult } from './expert.ts';
import { taskOf } from './pace.ts';
import { countRace, type Rival, type RivalName, resultOf, useRivals } from './race.ts';
import { rivalOf, Scoreboard, watchRival } from './race.tsx';
import { stateAt } from './starts.ts';
import { Where } from './where.tsx';

interface PlayProps {
  /** The environment that the user plays, one of `environments`. */
  readonly env: EnvironmentRef;
  readonly environments: readonly EnvironmentRef[];
  readonly environment: Environment;
}

/** Lets the user play, which needs no policy and no GPU. */
export function Play({ env, environments, environment }: PlayProps) {
  const wanted = usePlayback((playback) => playback.task);
  const [round, setRound] = useState(0);
  const [attempt, setAttempt] = useState(0);
  const task = wanted ?? taskOf(environment.evalTasks, round, 3);
  return (
    <Task
      key={`${task} ${attempt}`}
      env={env}
      environments={environments}
      environment={environment}
      task={task}
      onAgain={() => setAttempt(attempt + 1)}
      onAnother={() => {
        chooseTask(null);
        setRound(round + 1);
        setAttempt(attempt + 1);
      }}
    />
  );
}

interface TaskProps extends PlayProps {
  readonly task: string;
  readonly onAgain: () => void;
  readonly onAnother: () => void;
}

/** One attempt at one task. */
function Task({ env, environments, environment, task, onAgain, onAnother }: TaskProps) {
  const [episode, setEpisode] = useState(() =>
    reenact(environment, beginTask(environment, env, task)),
  );
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const picture = useRef<HTMLDivElement>(null);
  const view = environmentView(env.id);
  const keys = view?.keys ?? {};
  const steered = Object.keys(keys).length > 0;
  const { record, states } = episode;
  const played = record.turns.length;
  useEffect(() => {
    // The pressed button may have disappeared.
    const lost = document.activeElement === document.body;
    if (lost || (played === 0 && steered)) focus(picture.current);
  }, [played, steered]);
  const state = states.at(-1);
  const over = isOver(environment, episode);
  const rivals = useRivals(env, task);
  const [against, setAgainst] = useState<RivalName>('newest');
  const rival = rivalOf(rivals, against);
  const word = remarkOn(view, episode);
  const admissible = useMemo(
    () => (over ? [] : environment.admissibleActions(state)),
    [environment, state, over],
  );
  const [fault, setFault] = useState<{ readonly error: unknown } | null>(null);
  const take = (action: string) => {
    if (over || action === '') return;
    try {
      // User code that has exceeded a limit is created again.
      const next = act(environmentOf(env), episode, action);
      setEpisode(next);
      if (rival !== null && isOver(environment, next)) {
        countRace(resultOf(next.record, rival.episode.record));
      }
    } catch (error) {
      setFault({ error });
    }
  };
  // Steering keys never scroll the page, even after the task has ended.
  useKeys(
    Object.fromEntries(Object.entries(keys).map(([key, action]) => [key, () => take(action)])),
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (isBrowserShortcut(event)) return;
    const action = keys[event.key];
    // Keys handled by a field or a button are ignored.
    const typed = event.target instanceof HTMLInputElement;
    const pressed = event.target instanceof HTMLButtonElement && /^(Enter| )$/.test(event.key);
    if (action === undefined || typed || pressed) return;
    event.preventDefault();
    take(action);
  };
  // An exception of user code is shown in place of the stage.
  if (fault !== null) throw fault.error;
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture" {...(steered ? { onKeyDown } : {})}>
          <Where
            id={env.id}
            environment={environment}
            choice={{
              environments,
              task,
              onEnvironment: chooseEnvironment,
              onTask: chooseTask,
            }}
          />
          <div
            ref={picture}
            className="play-field"
            {...(steered
              ? { tabIndex: 0, role: 'application', 'aria-label': 'Your turn: use the keys' }
              : { tabIndex: -1 })}
          >
            <Picture
              env={env}
              taskId={task}
              state={state}
              glide={played === 0 ? 0 : 120}
              text={record.finalObservation}
              rival={rival === null ? undefined : stateAt(rival.episode, played)}
            />
            <div role="status">
              {word === null ? null : (
                <p key={played} className="play-remark" data-testid="remark">
                  {word}
                </p>
              )}
            </div>
          </div>
          <div className="doing">
            {cannotTrain ? null : (
              <Scoreboard
                rivals={rivals}
                against={against}
                onAgainst={setAgainst}
                record={record}
              />
            )}
            {over ? (
              <div className="row play-again">
                <Button size="compact-sm" onClick={onAgain}>
                  Same task again
                </Button>
                <Button variant="filled" size="compact-sm" onClick={onAnother}>
                  Another task
                </Button>
                {rival === null ? null : (
                  <Button size="compact-sm" onClick={() => watchRival(rival)}>
                    Show the agent’s episode
                  </Button>
                )}
              </div>
            ) : (
              <>
                <Actions keys={keys} admissible={admissible} onAct={take} />
                <Help key={played} env={env} state={state} onAct={take} onAnother={onAnother} />
              </>
            )}
          </div>
        </div>
        <Dialogue record={record} turn={played} finished={over} speaker="You" />
      </div>
      <p className="stage-foot">
        <span data-testid="play-hint">
          {over ? (
            <Verdict env={env} record={record} rival={rival} />
          ) : (
            `${howTo(steered)} The agent sees only the text of the dialogue.`
          )}
        </span>
        <span>{record.taskId}</span>
      </p>
    </>
  );
}

/** Moves the focus; as a ref, to an element that replaces the focused one. */
const focus = (element: HTMLElement | null) => element?.focus({ preventScroll: true });

/** How the user acts; no keyboard hints on touch screens. */
function howTo(steered: boolean): string {
  if (!steered) return 'Write an action or choose one.';
  const touch = matchMedia('(hover: none) and (pointer: coarse)').matches;
  return touch ? 'Use the buttons.' : 'Use the keys or the buttons.';
}

/** The environment's comment on a last turn that changed nothing. */
function remarkOn(
  view: ReturnType<typeof environmentView>,
  { record, states }: Reenactment,
): string | null {
  const last = record.turns.at(-1);
  if (last === undefined || !last.understood || record.success) return null;
  return view?.remark?.(states.at(-2), states.at(-1)) ?? null;
}

interface VerdictProps {
  readonly env: EnvironmentRef;
  readonly record: EpisodeRecord;
  readonly rival: Rival | null;
}

/** The user's result compared with the agent's and the expert's. */
function Verdict({ env, record, rival }: VerdictProps) {
  const { turns, taskId, success } = record;
  const expert = useExpertResult(env, taskId);
  const own = success
    ? `You took ${several(turns.length, 'turn')}`
    : `Not solved in ${several(turns.length, 'turn')}`;
  const results = [
    own,
    ...(rival === null ? [] : [agentsShare(rival)]),
    ...(expert?.success === true ? [`the expert took ${expert.turns}`] : []),
  ].join('; ');
  return (
    <>{expert?.success === false ? `${results}. The expert did not solve it.` : `${results}.`}</>
  );
}

function agentsShare({ episode: { record } }: Rival): string {
  return record.success
    ? `the agent took ${record.turns.length}`
    : `the agent did not solve it in ${record.turns.length}`;
}

interface ActionsProps {
  readonly keys: Readonly<Record<string, string>>;
  readonly admissible: readonly string[];
  readonly onAct: (action: string) => void;
}

/** Available actions: keys and few actions as buttons, many as a list, plus a text field. */
function Actions({ keys, admissible, onAct }: ActionsProps) {
  const { pad, others, padAlone } = choiceOf(keys, admissible);
  return (
    <>
      <fieldset className="row pad" aria-label="Actions">
        {pad.map(({ key, action }) => (
          <Button key={action} size="compact-sm" onClick={() => onAct(action)}>
            <kbd className="pad-key" aria-hidden>
              {keyName(key)}
            </kbd>
            <span translate="no">{action}</span>
          </Button>
        ))}
        {others.length > MOST_BUTTONS
          ? null
          : others.map((action) => (
              <Button key={action} size="compact-sm" onClick={() => onAct(action)}>
                <span translate="no">{action}</span>
              </Button>
            ))}
      </fieldset>
      {padAlone ? null : <OwnWords admissible={admissible} onAct={onAct} />}
    </>
  );
}

/** A text field with the admissible actions as suggestions. */
function OwnWords({ admissible, onAct }: Omit<ActionsProps, 'keys'>) {
  const [text, setText] = useState('');
  const send = (action: string) => {
    setText('');
    onAct(action);
  };
  return (
    <form
      className="own-words"
      onSubmit={(event) => {
        event.preventDefault();
        send(meantAction(text, admissible));
      }}
    >
      <Autocomplete
        aria-label="Your action"
        size="sm"
        value={text}
        onChange={setText}
        onOptionSubmit={send}
        data={[...admissible]}
        filter={({ search }) =>
          matching(search, admissible).map((action) => ({ value: action, label: action }))
        }
        renderOption={({ option }) => <span translate="no">{option.value}</span>}
        limit={300}
        maxDropdownHeight={260}
        openOnFocus={false}
        onClick={(event) => event.currentTarget.focus()}
        placeholder={`Write an action or choose one of ${admissible.length}`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <Button
        type="submit"
        size="sm"
        disabled={text.trim() === ''}
        rightSection={<IconCornerDownLeft size={14} aria-hidden />}
      >
        Act
      </Button>
    </form>
  );
}

interface HelpProps {
  readonly env: EnvironmentRef;
  readonly state: unknown;
  readonly onAct: (action: string) => void;
  readonly onAnother: () => void;
}

/** The expert's action, or null if it has none: a user can make a task unsolvable. */
function adviceOf(env: EnvironmentRef, state: unknown): Demonstration | null {
  try {
    return environmentOf(env).expert(state);
  } catch {
    return null;
  }
}

/** The expert's action, on request. */
function Help({ env, state, onAct, onAnother }: HelpProps) {
  const [asked, setAsked] = useState(false);
  const advice = asked ? adviceOf(env, state) : null;
  return (
    <div className="row help">
      {asked && advice === null ? (
        <p ref={focus} tabIndex={-1} className="advice" role="status">
          The expert cannot solve the task from here.
        </p>
      ) : advice === null ? (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconBulb size={15} aria-hidden />}
          onClick={() => setAsked(true)}
        >
          Ask the expert
        </Button>
      ) : (
        <p className="advice" data-testid="advice" role="status">
          <span className="thought" translate="no">
            {advice.thought}
          </span>{' '}
          <button
            ref={focus}
            type="button"
            className="token token-plain"
            onClick={() => onAct(advice.action)}
            aria-label={`Take the expert’s action: “${advice.action}”`}
          >
            <span translate="no">{advice.action}</span>
          </button>
        </p>
      )}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={onAnother}>
        Another task
      </Button>
    </div>
  );
}
