import './comfort.css';
import { Modal, Switch } from '@mantine/core';
import { openHelp, useHelp } from './help-store.ts';
import { switchKeys, useKeysOn } from './keys.ts';

type Line = readonly [keys: readonly string[], does: string];

const groups: readonly { readonly title: string; readonly lines: readonly Line[] }[] = [
  {
    title: 'The run',
    lines: [
      [['Space'], 'Pause after the present iteration, or go on'],
      [['S'], 'Compute a single iteration of a paused run'],
      [['W'], 'Walk through an iteration phase by phase'],
      [['K'], 'Knobs: change the run while it trains'],
      [['R'], 'Back to random weights'],
    ],
  },
  {
    title: 'The page',
    lines: [
      [['G'], 'Gallery of presets'],
      [['L'], 'Lessons'],
      [[','], 'Settings of the run'],
      [['/'], 'Search the kept runs'],
      [['P'], 'Play yourself on the stage, against the agent'],
      [['←', '↑', '→', '↓'], 'Your steps, where you play with keys'],
      [['D'], 'Dark or light page'],
      [['←', '→'], 'The episode on the stage, turn by turn'],
      [['?'], 'This sheet'],
      [['Esc'], 'Close what is open; from what a lesson shows, back to its text'],
    ],
  },
  {
    title: 'A chart, once it has the focus',
    lines: [
      [['←', '→'], 'Move the crosshair; with Shift ten times as far'],
      [['Home', 'End'], 'To the first or last iteration'],
      [['+', '−'], 'Zoom in and out'],
      [['0'], 'Show all'],
    ],
  },
  {
    title: 'The inspector',
    lines: [
      [['←', '→'], 'Token by token'],
      [['↑', '↓'], 'Turn by turn'],
    ],
  },
];

/** Every key that does something, and the switch that turns the single ones off. */
export function HelpSheet() {
  const { open } = useHelp();
  const { on } = useKeysOn();
  return (
    <Modal
      opened={open}
      onClose={() => openHelp(false)}
      size={760}
      title="Keyboard shortcuts"
      closeButtonProps={{ 'aria-label': 'Close the shortcuts' }}
      classNames={{ content: 'help-sheet', title: 'help-title' }}
      overlayProps={{ backgroundOpacity: 0.35 }}
    >
      <div className="help-groups" data-testid="help">
        {groups.map(({ title, lines }) => (
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
        label="Single keys act on the page"
        description="Switch this off if you dictate, or if you press keys by accident. The sheet still opens with “?”."
      />
    </Modal>
  );
}
