import '@mantine/core/styles/Progress.css';
import { Button, NativeSelect, Progress, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { episodeFlags, flagTitles } from '../../../exchange/rollouts/detectors.ts';
import type { RolloutEpisode, RolloutMessage } from '../../../exchange/rollouts/episode.ts';
import type { EpisodeEntry } from '../../../exchange/rollouts/read-rollouts.ts';
import { rolloutTitles } from '../../../exchange/rollouts/readers.ts';
import { type EpisodeOrder, episodeOrders } from '../../../exchange/rollouts/select.ts';
import { percent, several, significant, thousands } from '../../../runs/numbers.ts';
import './episodes.css';
import { closeEpisodes, toggleEpisode, useEpisodes, viewEpisodes } from './store.ts';

const orderTitles: Readonly<Record<EpisodeOrder, string>> = {
  highest: 'Highest reward first',
  lowest: 'Lowest reward first',
  longest: 'Longest first',
  shortest: 'Shortest first',
  file: 'As in the file',
};

/** Episodes of another tool: signs of failure with counts, a list, and the text of up to two. */
export function Episodes() {
  const { name, summary, reading, problem } = useEpisodes();
  if (name === '') return null;
  return (
    <section className="card findings episodes" aria-label="Episodes" data-testid="episodes">
      <header className="row episodes-head">
        <h2>Episodes</h2>
        <span>
          {summary === null
            ? name
            : `${several(summary.episodes, 'episode')} of ${rolloutTitles[summary.tool]}, from ${name}`}
        </span>
        <Button size="compact-sm" onClick={closeEpisodes}>
          Close episodes
        </Button>
      </header>
      {problem === null ? null : (
        <p className="runs-problem" role="alert">
          {problem}
        </p>
      )}
      <p className="visually-hidden" role="status">
        {reading === null ? '' : 'Reading.'}
      </p>
      {reading === null ? null : (
        <div>
          Reading, {percent(reading.read / Math.max(1, reading.total))} of{' '}
          {thousands(reading.total / 1e6)} MB
          <Progress
            value={(100 * reading.read) / Math.max(1, reading.total)}
            aria-label="Read so far"
          />
        </div>
      )}
      {summary === null ? null : <Browser />}
    </section>
  );
}

function Browser() {
  const { summary, view, entries, of, shown } = useEpisodes();
  const [search, setSearch] = useState(view.search);
  useEffect(() => setSearch(view.search), [view.search]);
  if (summary === null) return null;
  const steps = summary.steps.flatMap(({ step }) => step ?? []);
  return (
    <>
      {summary.notes.length === 0 ? null : (
        <details className="log-notes">
          <summary>How the episodes were read</summary>
          <ul>
            {summary.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      <Signs />
      <form
        className="episodes-choice"
        onSubmit={(event) => {
          event.preventDefault();
          viewEpisodes({ search });
        }}
      >
        <NativeSelect
          label="Step"
          value={view.step === null ? '' : String(view.step)}
          onChange={({ currentTarget: { value } }) =>
            viewEpisodes({ step: value === '' ? null : Number(value) })
          }
          data={[
            { value: '', label: 'All steps' },
            ...steps.map((step) => ({
              value: String(step),
              label: `Step ${step.toLocaleString('en-US')}`,
            })),
          ]}
        />
        <NativeSelect
          label="Order"
          value={view.order}
          onChange={({ currentTarget: { value } }) =>
            viewEpisodes({ order: episodeOrders.find((one) => one === value) ?? 'highest' })
          }
          data={episodeOrders.map((value) => ({ value, label: orderTitles[value] }))}
        />
        <TextInput
          label="Search the text"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Button size="sm" type="submit">
          Search
        </Button>
      </form>
      <div className="episodes-body">
        <div className="episodes-list">
          <p className="log-soft">
            {entries.length === of
              ? `${several(of, 'episode')}. `
              : `${thousands(entries.length)} of ${thousands(of)} episodes. `}
            Select one or two to read.
          </p>
          <ol>
            {entries.map((entry) => (
              <Row
                key={entry.id}
                entry={entry}
                pressed={shown.some((one) => one.entry.id === entry.id)}
              />
            ))}
          </ol>
        </div>
        {shown.map(({ entry, episode }) => (
          <Text key={entry.id} entry={entry} episode={episode} />
        ))}
      </div>
    </>
  );
}

/** Signs of failure, which filter the list. */
function Signs() {
  const { summary, view } = useEpisodes();
  if (summary === null) return null;
  const found = episodeFlags.filter((flag) => (summary.flags[flag] ?? 0) > 0);
  if (found.length === 0) return <p>No signs of failure in single episodes.</p>;
  return (
    <section className="row episodes-signs" aria-label="Signs of failure">
      {found.map((flag) => (
        <Button
          key={flag}
          size="compact-sm"
          variant={view.flag === flag ? 'filled' : 'default'}
          aria-pressed={view.flag === flag}
          onClick={() => viewEpisodes({ flag: view.flag === flag ? null : flag })}
        >
          {flagTitles[flag]}: {thousands(summary.flags[flag] ?? 0)}
        </Button>
      ))}
    </section>
  );
}

const rewardText = (reward: number | null) =>
  reward === null ? 'no reward' : `reward ${significant(reward)}`;

function Row({ entry, pressed }: { readonly entry: EpisodeEntry; readonly pressed: boolean }) {
  const { id, step, reward, flags, turns, length, advantage } = entry;
  const details = [
    ...flags.map((flag) => flagTitles[flag].toLowerCase()),
    ...(advantage === null ? [] : [`advantage ${significant(advantage)}`]),
  ];
  return (
    <li>
      <button
        type="button"
        className="episode-row"
        aria-pressed={pressed}
        data-episode={id}
        data-sign={advantage === null ? undefined : advantage > 0 ? 'up' : 'down'}
        onClick={() => toggleEpisode(entry)}
      >
        <span>
          {step === null ? `Episode ${id}` : `Step ${step.toLocaleString('en-US')}, episode ${id}`}
        </span>
        <strong>{rewardText(reward)}</strong>
        <small>
          {turns} {turns === 1 ? 'turn' : 'turns'}, length {thousands(length)}
          {details.map((detail) => `, ${detail}`).join('')}
        </small>
      </button>
    </li>
  );
}

function Text({
  entry,
  episode,
}: {
  readonly entry: EpisodeEntry;
  readonly episode: RolloutEpisode | null;
}) {
  return (
    <article className="episode-text" aria-label={`Episode ${entry.id}`}>
      <h3>
        Episode {entry.id}, {rewardText(entry.reward)}
        {entry.advantage === null ? '' : `, advantage ${significant(entry.advantage)}`}
      </h3>
      {entry.error === null ? null : <p role="alert">{entry.error}</p>}
      {episode === null ? (
        <p>Reading.</p>
      ) : (
        <ol>
          {episode.messages.map((message, place) => (
            <Message key={place} message={message} />
          ))}
        </ol>
      )}
    </article>
  );
}

/** Characters of a message that are shown before it is opened. */
const SHORT = 3000;

function Message({ message }: { readonly message: RolloutMessage }) {
  const { role, text, sampled, logProbability, advantage, entropy, mismatch } = message;
  const [whole, setWhole] = useState(false);
  const numbers = [
    ['log-probability', logProbability],
    ['advantage', advantage],
    ['entropy', entropy],
    ['mismatch', mismatch],
  ] as const;
  const means = numbers.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${significant(value)}`],
  );
  return (
    <li className="episode-message" data-sampled={sampled ? true : undefined}>
      <span>
        {role}
        {means.length === 0 ? '' : ` · mean ${means.join(', ')}`}
      </span>
      <pre>{whole || text.length <= SHORT ? text || '(empty)' : `${text.slice(0, SHORT)}…`}</pre>
      {text.length <= SHORT || whole ? null : (
        <Button size="compact-xs" onClick={() => setWhole(true)}>
          Show all {thousands(text.length)} characters
        </Button>
      )}
    </li>
  );
}
