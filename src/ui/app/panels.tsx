/** Every panel, drawer and dialog, one row each: what loads it, where it appears, what opens it. */

import {
  IconAdjustments,
  IconAdjustmentsHorizontal,
  IconBinaryTree,
  IconBrain,
  IconKeyboard,
  IconPencil,
  IconPlugConnected,
  IconSchool,
  IconStack2,
  IconStairs,
  IconVocabulary,
} from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import { useModeCard } from '../charts/findings/card-store.ts';
import { useReenactment } from '../charts/reenactment/state.ts';
import { ALL_LESSONS, openLesson, useLesson } from '../learn/lessons/store.ts';
import { useTwins } from '../learn/twins/state.ts';
import { loadedLater } from '../shell/comfort/release.ts';
import { useInspector } from '../shell/episode/inspection.ts';
import { openStepThrough, useStepThrough } from '../shell/lab/step-through.ts';
import { isOver, useLab } from '../shell/lab/store.ts';
import { openPanel, togglePanel, usePanel } from '../shell/page/panels.ts';
import { useSettings } from '../shell/settings/store-settings.ts';
import { useTermCard } from '../shell/terms/store.ts';
import type { Command } from './command.ts';

export interface Panel {
  readonly id: string;
  /** Subject of the error message when it fails to render. */
  readonly name: string;
  /** Position: next to the run, above its stage, or over the page. */
  readonly place: 'beside' | 'above' | 'over';
  readonly Component: ComponentType<{ readonly commands: readonly Command[] }>;
  /** Shown until it has loaded. */
  readonly waiting?: ReactNode;
  /** Hidden if no device can train. */
  readonly trains?: boolean;
  /** Whether it is shown. By default `openPanel` decides. */
  readonly useShown?: () => boolean;
  readonly command?: Command;
}

export const Knobs = loadedLater(async () => (await import('../learn/knobs/panel.tsx')).Knobs);

export const panels: readonly Panel[] = [
  {
    id: 'step-through',
    name: 'The step-through',
    place: 'over',
    Component: loadedLater(
      async () => (await import('../inside/step-through/panel.tsx')).StepThrough,
    ),
    useShown: () => useStepThrough(({ open }) => open),
    command: {
      key: 'w',
      does: 'Walk: step through an iteration, phase by phase',
      group: 'run',
      press: openStepThrough,
      pressKey: () => {
        const lab = useLab.getState();
        if (!lab.cannotTrain && !isOver(lab)) openStepThrough();
      },
      header: {
        name: 'Walk',
        label: 'Walk: step through an iteration, phase by phase',
        hint: 'Step through an iteration, phase by phase',
        icon: <IconStairs size={18} />,
        iconOnly: true,
        trains: true,
        useState: () => ({ disabled: useLab(isOver) }),
      },
    },
  },
  {
    id: 'knobs',
    name: 'The knobs',
    place: 'above',
    trains: true,
    Component: () => <Knobs />,
    command: {
      key: 'k',
      does: 'Knobs: change settings during training',
      group: 'run',
      press: () => togglePanel('knobs'),
      header: {
        name: 'Knobs',
        label: 'Knobs: change settings during training',
        hint: 'Change settings during training',
        icon: <IconAdjustments size={18} />,
        iconOnly: true,
        trains: true,
        useState: () => ({ expanded: usePanel('knobs').open }),
      },
    },
  },
  {
    id: 'network',
    name: 'The network view',
    place: 'above',
    Component: loadedLater(async () => (await import('../inside/network/panel.tsx')).Network),
    waiting: <div className="card band" />,
    command: {
      key: 'n',
      does: 'Inside the network: attention, logit lens, embeddings',
      group: 'run',
      press: () => togglePanel('network'),
      menu: { label: 'Inside the network', icon: <IconBinaryTree size={16} /> },
    },
  },
  {
    id: 'gallery',
    name: 'The gallery',
    place: 'over',
    Component: loadedLater(async () => {
      const [{ Gallery }, { LessonList }] = await Promise.all([
        import('../stage/gallery/gallery.tsx'),
        import('../learn/lessons/list.tsx'),
      ]);
      return () => <Gallery Lessons={LessonList} />;
    }),
    command: {
      key: 'g',
      does: 'Gallery of presets',
      group: 'page',
      press: () => openPanel('gallery'),
    },
  },
  {
    id: 'lesson',
    name: 'The lesson',
    place: 'beside',
    Component: loadedLater(async () => (await import('../learn/lessons/pane.tsx')).LessonPane),
    useShown: () => useLesson(({ name }) => name !== null),
    command: {
      key: 'l',
      does: 'Lessons',
      group: 'page',
      press: () => openLesson(useLesson.getState().name === null ? ALL_LESSONS : null),
      header: {
        name: 'Lessons',
        label: 'Lessons',
        hint: 'Five-minute lessons next to the lab',
        icon: <IconSchool size={17} />,
        useState: () => ({ expanded: useLesson(({ name }) => name !== null) }),
      },
    },
  },
  {
    id: 'runs',
    name: 'The list of runs',
    place: 'over',
    Component: loadedLater(async () => (await import('../shelf/runs/panel.tsx')).Runs),
    command: {
      key: '/',
      does: 'Search stored runs',
      group: 'page',
      press: () => openPanel('runs'),
      pressKey: () => openPanel('runs', 'search'),
      header: {
        name: 'Runs',
        label: 'Runs: compare and open stored runs',
        icon: <IconStack2 size={16} />,
      },
    },
  },
  {
    id: 'settings',
    name: 'The settings',
    place: 'over',
    Component: loadedLater(async () => (await import('../shell/settings/settings.tsx')).Settings),
    command: {
      key: ',',
      does: 'Settings',
      group: 'page',
      press: () => openPanel('settings'),
      header: {
        name: 'Settings',
        label: 'Settings',
        icon: <IconAdjustmentsHorizontal size={16} />,
        useState: () => {
          const edits = useSettings((settings) => Object.keys(settings.edits).length);
          return edits > 0 ? { label: `Settings, ${edits} not applied` } : {};
        },
      },
    },
  },
  {
    id: 'prediction',
    name: 'The prediction',
    place: 'above',
    trains: true,
    Component: loadedLater(async () => (await import('../learn/predict/card.tsx')).PredictionCard),
    command: {
      does: 'Predict the curve first',
      group: 'page',
      press: () => openPanel('prediction'),
      menu: { label: 'Predict the curve first', icon: <IconPencil size={16} /> },
    },
  },
  {
    id: 'help',
    name: 'The help',
    place: 'over',
    Component: loadedLater(async () => (await import('./help.tsx')).HelpSheet),
    command: {
      key: '?',
      does: 'Keyboard shortcuts',
      group: 'page',
      press: () => openPanel('help'),
      menu: { label: 'Keyboard shortcuts', icon: <IconKeyboard size={16} /> },
    },
  },
  {
    id: 'glossary',
    name: 'The glossary',
    place: 'over',
    Component: loadedLater(async () => (await import('../learn/terms/glossary.tsx')).Glossary),
    command: {
      does: 'Terms',
      group: 'page',
      press: () => openPanel('glossary'),
      menu: { label: 'Terms', icon: <IconVocabulary size={16} /> },
    },
  },
  {
    id: 'reenactment',
    name: 'The re-enactment',
    place: 'above',
    Component: loadedLater(
      async () => (await import('../learn/reenactment/card.tsx')).ReenactmentCard,
    ),
    useShown: () => useReenactment(({ playing }) => playing !== null),
  },
  {
    id: 'twins',
    name: 'The two agents',
    place: 'above',
    Component: loadedLater(async () => (await import('../learn/twins/card.tsx')).TwinsCard),
    useShown: () => useTwins(({ playing }) => playing !== null),
  },
  {
    id: 'play',
    name: 'Play mode',
    place: 'above',
    Component: loadedLater(async () => (await import('../stage/play/panel.tsx')).PlayMode),
    waiting: <div className="card playmode" />,
  },
  {
    id: 'maze-editor',
    name: 'The maze editor',
    place: 'over',
    Component: loadedLater(async () => (await import('../stage/maze-editor/panel.tsx')).MazeEditor),
    command: {
      does: 'Draw a maze',
      group: 'page',
      press: () => openPanel('maze-editor'),
      menu: { label: 'Draw a maze', icon: <IconPencil size={16} /> },
    },
  },
  {
    id: 'code-editor',
    name: 'The code editor',
    place: 'over',
    Component: loadedLater(
      async () => (await import('../stage/code-editor/panel.tsx')).CodeEditorPanel,
    ),
    command: {
      does: 'Write an environment',
      group: 'page',
      press: () => openPanel('code-editor'),
      menu: { label: 'Write an environment', icon: <IconPencil size={16} /> },
    },
  },
  {
    id: 'connect',
    name: 'The connection',
    place: 'over',
    Component: loadedLater(async () => (await import('../stage/connect/panel.tsx')).ConnectPanel),
    command: {
      does: 'Connect an environment',
      group: 'page',
      press: () => openPanel('connect'),
      menu: { label: 'Connect an environment', icon: <IconPlugConnected size={16} /> },
    },
  },
  {
    id: 'models',
    name: 'The pretrained models',
    place: 'over',
    Component: loadedLater(async () => (await import('../shelf/models/panel.tsx')).Models),
    command: {
      does: 'Pretrained models',
      group: 'page',
      press: () => openPanel('models'),
      menu: { label: 'Pretrained models', icon: <IconBrain size={16} /> },
    },
  },
  {
    id: 'inspector',
    name: 'The inspector',
    place: 'over',
    Component: loadedLater(
      async () => (await import('../inside/inspector/panel.tsx')).InspectorPanel,
    ),
    useShown: () => useInspector(({ inspection }) => inspection !== null),
  },
  {
    id: 'term',
    name: 'The definition of the term',
    place: 'over',
    Component: loadedLater(async () => (await import('../learn/terms/card.tsx')).TermCard),
    useShown: () => useTermCard(({ name }) => name !== null),
  },
  {
    id: 'log',
    name: 'The log',
    place: 'over',
    Component: loadedLater(async () => (await import('../shelf/logs/panel.tsx')).Logs),
  },
  {
    id: 'sweep',
    name: 'The sweep',
    place: 'over',
    Component: loadedLater(async () => (await import('../shelf/sweeps/panel.tsx')).SweepPanel),
  },
  {
    id: 'failure-mode',
    name: 'The card',
    place: 'over',
    Component: loadedLater(async () => (await import('../why/findings/card.tsx')).ModeCard),
    useShown: () => useModeCard(({ mode }) => mode !== null),
  },
];
