import { useOverlay } from '../shell/page/panels.ts';
import '../shell/comfort/comfort.css';
import { Modal, Switch } from '@mantine/core';
import { switchKeys, useKeysOn } from '../shell/comfort/keys.ts';
import { type Command, keyName } from './command.ts';

type Line = readonly [keys: readonly string[], does: string];

const linesOf = (commands: readonly Command[], group: Command['group']): readonly Line[] =>
  commands.flatMap((command) =>
    command.key !== undefined && command.group === group
      ? [[[keyName(command.key)], command.does] as const]
      : [],
  );

const groupsOf = (
  commands: readonly Command[],
): readonly { readonly title: string; readonly lines: readonly Line[] }[] => [
  {
    title: 'Run',
    lines: linesOf(commands, 'run'),
  },
  {
    title: 'Page',
    lines: [
      ...linesOf(commands, 'page'),
      [['←', '↑', '→', '↓'], 'Move the agent while you play'],
      [['←', '→'], 'Previous or next turn of the episode'],
      [['Esc'], 'Close, or return from the lab to the lesson'],
    ],
  },
  {
    title: 'Focused chart',
    lines: [
      [['←', '→'], 'Move the crosshair; hold Shift to move ten times as far'],
      [['Home', 'End'], 'First or last iteration'],
      [['+', '−'], 'Zoom in and out'],
      [['0'], 'Reset zoom'],
    ],
  },
  {
    title: 'Inspector',
    lines: [
      [['←', '→'], 'Previous or next token'],
      [['↑', '↓'], 'Previous or next turn'],
    ],
  },
];

/** The list of keyboard shortcuts, and a switch for single-key shortcuts. */
export function HelpSheet({ commands }: { readonly commands: readonly Command[] }) {
  const overlay = useOverlay('help', 'Close shortcuts');
  const { on } = useKeysOn();
  return (
    <Modal {...overlay} size={760} title="Keyboard shortcuts">
      <div className="help-groups" data-testid="help">
        {groupsOf(commands).map(({ title, lines }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {lines.map(([keys, does]) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key} className="key">
                        {key}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch
        checked={on}
        onChange={(event) => switchKeys(event.currentTarget.checked)}
        label="Single-key shortcuts"
        description="Turn this off if you use speech input or press keys by accident. “?” still opens this list."
      />
    </Modal>
  );
}
