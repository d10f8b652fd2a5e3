import { closePanel, useOverlay } from '../../shell/page/panels.ts';
import './gallery.css';
import { Modal } from '@mantine/core';
import { IconClock, IconFileText } from '@tabler/icons-react';
import { type ComponentType, Suspense, useEffect, useMemo, useState } from 'react';
import { type Preset, presetConfig, presets } from '../../../config/presets.ts';
import { duration } from '../../../runs/numbers.ts';
import { grouped } from '../../shell/environments/families.ts';
import { startPreset } from '../../shell/lab/commands.ts';
import { useLab } from '../../shell/lab/store.ts';
import { discardEdits } from '../../shell/settings/store-settings.ts';
import { expectedSeconds, keepPace, keptPace, paceOf } from './pace.ts';
import { Thumbnail } from './thumbnail.tsx';

const groups = grouped(presets, ({ name }) =>
  presetConfig(name).env.id.startsWith('maze/') && presetConfig(name).env.mixture.length === 0
    ? 'Mazes'
    : 'The gym',
);

const about: Readonly<Record<string, string>> = {
  Mazes: 'small enough to follow an algorithm step by step',
  'The gym': 'words, rooms, recipes and questions',
};

interface GalleryProps {
  readonly Lessons: ComponentType<{ readonly onChosen: () => void }>;
}

/** Every preset as a card: its picture, what it demonstrates, and its duration on this computer. */
export function Gallery({ Lessons }: GalleryProps) {
  const overlay = useOverlay('gallery', 'Close the gallery');
  // A lesson takes the focus when it opens.
  const [toLesson, setToLesson] = useState(false);
  useEffect(() => {
    if (overlay.opened) setToLesson(false);
  }, [overlay.opened]);
  const onChosen = () => {
    setToLesson(true);
    closePanel('gallery');
  };
  return (
    <Modal {...overlay} returnFocus={!toLesson} size={1180} title="Choose what to train">
      {/* Cards are rendered after the lessons above them, which would move them under the pointer. */}
      <Suspense>{overlay.opened ? <Cards Lessons={Lessons} onChosen={onChosen} /> : null}</Suspense>
    </Modal>
  );
}

function Cards({ Lessons, onChosen }: GalleryProps & { readonly onChosen: () => void }) {
  const present = useLab((lab) => lab.preset);
  // Read once, because changing numbers distract.
  const [pace] = useState(() => {
    const observed = paceOf(useLab.getState());
    if (observed !== null) keepPace(observed);
    return observed ?? keptPace();
  });
  return (
    <>
      <p className="gallery-text">
        Each preset starts training within a second or two, from random weights, with tested
        settings that you can change.{' '}
        {pace === null
          ? 'Times were measured on a computer with two cores and no GPU; they adapt once this computer has trained for a moment.'
          : 'Times are estimates for this computer, based on its training speed.'}
      </p>
      <section aria-labelledby="gallery-lessons">
        <h2 className="gallery-group" id="gallery-lessons">
          Lessons
          <small>five minutes each, beside the lab</small>
        </h2>
        <Lessons onChosen={onChosen} />
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
  /** Index in its group. */
  readonly place: number;
  readonly running: boolean;
  readonly seconds: number | undefined;
}) {
  const { name, title, description, papers } = preset;
  const { env, stopping } = useMemo(() => presetConfig(name), [name]);
  return (
    <li className="panel gallery-card" data-running={running || undefined}>
      <Thumbnail env={env} place={place} />
      {running ? <span className="gallery-running">current run</span> : null}
      <h3>
        <button
          type="button"
          className="gallery-choose"
          onClick={() => {
            closePanel('gallery');
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

/** Estimates are not accurate to the second. */
function rounded(seconds: number): string {
  const step = seconds < 60 ? 5 : seconds < 600 ? 30 : 300;
  return duration(Math.max(step, Math.round(seconds / step) * step)).replace(' 00 s', '');
}
