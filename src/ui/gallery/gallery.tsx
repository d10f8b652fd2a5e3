import './gallery.css';
import { Modal } from '@mantine/core';
import { IconClock, IconFileText } from '@tabler/icons-react';
import { Suspense, useMemo, useState } from 'react';
import { type Preset, presetConfig, presets } from '../../config/presets.ts';
import { duration } from '../../runs/numbers.ts';
import { grouped } from '../environments/families.ts';
import { startPreset } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { LessonList } from '../lessons/list.tsx';
import { discardEdits } from '../settings/store-settings.ts';
import { expectedSeconds, keepPace, keptPace, paceOf } from './pace.ts';
import { openGallery, useGallery } from './store.ts';
import { Thumbnail } from './thumbnail.tsx';

const groups = grouped(presets, ({ name }) =>
  presetConfig(name).env.id.startsWith('maze/') && presetConfig(name).env.mixture.length === 0
    ? 'Mazes'
    : 'The gym',
);

const about: Readonly<Record<string, string>> = {
  Mazes: 'small enough to watch an algorithm think',
  'The gym': 'words, rooms, recipes and questions',
};

/** Every preset as a card: what it looks like, what it shows, how long it takes here. */
export function Gallery() {
  const { open } = useGallery();
  return (
    <Modal
      opened={open}
      onClose={() => openGallery(false)}
      size={1180}
      title="Choose what to train"
      closeButtonProps={{ 'aria-label': 'Close the gallery' }}
      classNames={{ content: 'gallery', title: 'gallery-title', body: 'gallery-body' }}
      overlayProps={{ backgroundOpacity: 0.35 }}
    >
      {open ? <Cards /> : null}
    </Modal>
  );
}

function Cards() {
  const present = useLab((lab) => lab.preset);
  // Read once: numbers that change while one chooses would only distract.
  const [pace] = useState(() => {
    const observed = paceOf(useLab.getState());
    if (observed !== null) keepPace(observed);
    return observed ?? keptPace();
  });
  return (
    <>
      <p className="gallery-text">
        Each one begins to train within a second or two, from random weights, with settings that
        were measured; all of them can be changed.{' '}
        {pace === null
          ? 'Times are those of a computer with two cores and no GPU, until this one has trained for a moment.'
          : 'Times are expectations for this computer, from its own pace.'}
      </p>
      <section aria-labelledby="gallery-lessons">
        <h2 className="gallery-group" id="gallery-lessons">
          Lessons
          <small>five minutes each, with the lab beside them</small>
        </h2>
        <Suspense>
          <LessonList onChosen={() => openGallery(false)} />
        </Suspense>
      </section>
      {groups.map(({ group, items }) => (
        <section key={group} aria-label={group} data-group={group}>
          <h2 className="gallery-group">
            {group}
            <small>{about[group]}</small>
          </h2>
          <ul className="gallery-cards">
            {items.map((preset, place) => (
              <Card
                key={preset.name}
                preset={preset}
                place={place}
                running={preset.name === present}
                seconds={expectedSeconds(preset.name, pace ?? 1)}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Card({
  preset,
  place,
  running,
  seconds,
}: {
  readonly preset: Preset;
  /** Among its group's, from 0. */
  readonly place: number;
  readonly running: boolean;
  readonly seconds: number | undefined;
}) {
  const { name, title, description, papers } = preset;
  const { env, stopping } = useMemo(() => presetConfig(name), [name]);
  return (
    <li className="gallery-card" data-running={running || undefined}>
      <Thumbnail env={env} place={place} />
      {running ? <span className="gallery-running">on the page now</span> : null}
      <h3>
        <button
          type="button"
          className="gallery-choose"
          onClick={() => {
            openGallery(false);
            discardEdits();
            startPreset(name);
          }}
        >
          {title}
        </button>
      </h3>
      <p>{description}</p>
      <p className="gallery-facts">
        {seconds === undefined ? null : (
          <span title="From the click to the last iteration">
            <IconClock size={14} aria-hidden /> {stopping.success > 0 ? 'at most' : 'about'}{' '}
            {rounded(seconds)}
          </span>
        )}
        <span>
          <IconFileText size={14} aria-hidden />
          {papers.map((paper) => (
            <a
              key={paper.arxiv}
              href={`https://arxiv.org/abs/${paper.arxiv}`}
              target="_blank"
              rel="noreferrer"
            >
              {paper.name}
            </a>
          ))}
        </span>
      </p>
    </li>
  );
}

/** An expectation is not known to the second. */
function rounded(seconds: number): string {
  const step = seconds < 60 ? 5 : seconds < 600 ? 30 : 300;
  return duration(Math.max(step, Math.round(seconds / step) * step)).replace(' 00 s', '');
}
