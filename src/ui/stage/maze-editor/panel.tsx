import './maze-editor.css';
import '../../../envs/maze/view.css';
import { Button, Menu, Modal, NumberInput, TextInput } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp, IconPlayerPlayFilled } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { drawnOptions } from '../../../envs/drawn/card.ts';
import {
  LEAST_SIDE,
  MOST_SIDE,
  type Rows,
  type Square,
  survey,
  writeDrawing,
} from '../../../envs/drawn/drawing.ts';
import { several } from '../../../runs/numbers.ts';
import { choose } from '../../shell/episode/playback.ts';
import { loadWorlds } from '../../shell/episode/worlds.ts';
import { startRun } from '../../shell/lab/commands.ts';
import { closePanel, useOverlay } from '../../shell/page/panels.ts';
import { discardEdits } from '../../shell/settings/store-settings.ts';
import { EditorFiles, TemplatesMenu } from '../editor-files/editor-files.tsx';
import { EditorFileError } from '../editor-files/error.ts';
import { EditorBoard } from './board.tsx';
import { rowsOf, useDraft } from './draft.ts';
import { change, type Edits, extend, paint, redo, resize, undo } from './edit.ts';
import { MOST_BYTES, readMazeFile, writeMazeFile } from './file.ts';
import { templates } from './templates.ts';
import { factsOf, PRESET, trainingConfig } from './train.ts';

const tools: readonly { readonly square: Square; readonly label: string; readonly key: string }[] =
  [
    { square: 'wall', label: 'Wall', key: 'W' },
    { square: 'free', label: 'Free', key: 'F' },
    { square: 'start', label: 'Start', key: 'S' },
    { square: 'goal', label: 'Goal', key: 'G' },
    { square: 'prize', label: 'Prize', key: 'P' },
    { square: 'trap', label: 'Trap', key: 'T' },
  ];

const setEdits = (next: (edits: Edits) => Edits) =>
  useDraft.setState(({ edits }) => ({ edits: next(edits) }));

/** Draws a maze and trains an agent in it. */
export function MazeEditor() {
  const overlay = useOverlay('maze-editor', 'Close the maze editor');
  return (
    <Modal {...overlay} size={860} title="Draw a maze">
      {overlay.opened ? <Editor /> : null}
    </Modal>
  );
}

/** An empty room with a goal. */
const empty = (height: number, width: number): Rows =>
  paint(resize([['free']], height, width), height * width - 1, 'goal');

function Editor() {
  const { edits, name } = useDraft();
  const { rows } = edits;
  const [tool, setTool] = useState<Square>('wall');
  const state = survey(rows);
  const [height, width] = [rows.length, rows[0]?.length ?? 0];

  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    // Text fields have their own undo.
    if (event.target instanceof HTMLInputElement && event.target.type === 'text') return;
    event.preventDefault();
    setEdits(event.shiftKey ? redo : undo);
  };
  const replace = (next: Rows) => setEdits((now) => change(now, next));

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Z works anywhere in the editor
    <div className="maze-editor-body" onKeyDown={onKeyDown}>
      <div className="maze-editor-picture">
        <EditorBoard
          rows={rows}
          tool={tool}
          marked={state.cutOff}
          onPaint={(place, square, starts) =>
            setEdits((now) => (starts ? change : extend)(now, paint(now.rows, place, square)))
          }
        />
        <Verdict rows={rows} />
      </div>
      <div className="maze-editor-controls">
        <fieldset className="maze-editor-tools">
          <legend>Paint</legend>
          {tools.map(({ square, label, key }) => (
            <label key={square} data-checked={square === tool || undefined}>
              <input
                type="radio"
                name="maze-tool"
                checked={square === tool}
                onChange={() => setTool(square)}
              />
              <span className={`maze-editor-mark maze-editor-${square}`} aria-hidden />
              {label}
              <kbd aria-hidden>{key}</kbd>
            </label>
          ))}
        </fieldset>
        <p id="maze-editor-keys" className="maze-editor-hint">
          Drag to paint; paint over the same kind to erase. By keyboard: the arrow keys move; each
          brush’s letter (W, F, S, G, P, T) paints with it; Space paints with the chosen brush;
          Ctrl+Z undoes.
        </p>
        <div className="maze-editor-row">
          <Side
            label="Rows"
            squares={height}
            onChange={(count) => replace(resize(rows, count, width))}
          />
          <Side
            label="Columns"
            squares={width}
            onChange={(count) => replace(resize(rows, height, count))}
          />
        </div>
        <div className="maze-editor-row">
          <Button
            leftSection={<IconArrowBackUp size={15} aria-hidden />}
            disabled={edits.before.length === 0}
            onClick={() => setEdits(undo)}
          >
            Undo
          </Button>
          <Button
            leftSection={<IconArrowForwardUp size={15} aria-hidden />}
            disabled={edits.after.length === 0}
            onClick={() => setEdits(redo)}
          >
            Redo
          </Button>
          <TemplatesMenu>
            {templates.map((template) => (
              <Menu.Item key={template.name} onClick={() => replace(rowsOf(template.drawing))}>
                {template.name}
              </Menu.Item>
            ))}
            <Menu.Divider />
            <Menu.Item onClick={() => replace(empty(height, width))}>Clear</Menu.Item>
          </TemplatesMenu>
        </div>
        <TextInput
          label="Name"
          size="xs"
          placeholder="Your own maze"
          maxLength={drawnOptions.name.most}
          value={name}
          onChange={(event) => useDraft.setState({ name: event.currentTarget.value })}
        />
        <Actions rows={rows} name={name.trim()} fault={state.fault} />
      </div>
    </div>
  );
}

interface SideProps {
  readonly label: string;
  readonly squares: number;
  readonly onChange: (squares: number) => void;
}

/** A side of the maze. Typing 12 starts with 1, which must not crop the drawing. */
function Side({ label, squares, onChange }: SideProps) {
  /** Typed, and not a valid side. */
  const [typed, setTyped] = useState<number | string | null>(null);
  return (
    <NumberInput
      label={label}
      min={LEAST_SIDE}
      max={MOST_SIDE}
      allowDecimal={false}
      clampBehavior="none"
      value={typed ?? squares}
      onChange={(value) => {
        const isValid = typeof value === 'number' && value >= LEAST_SIDE && value <= MOST_SIDE;
        setTyped(isValid ? null : value);
        if (isValid) onChange(value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

/** Whether the maze can be trained on, and why not. */
function Verdict({ rows }: { readonly rows: Rows }) {
  const { fault, lostPrizes } = survey(rows);
  if (fault !== null) {
    return (
      <p className="maze-editor-verdict" role="status" data-fault data-testid="maze-verdict">
        This maze {fault}.
      </p>
    );
  }
  const { starts, farthest } = factsOf(writeDrawing(rows));
  const marked = rows.flat().includes('start');
  const free = rows.flat().filter((square) => square === 'free').length;
  const unused = marked ? 0 : free - starts;
  return (
    <p className="maze-editor-verdict" role="status" data-testid="maze-verdict">
      {marked
        ? `${several(starts, 'start')}.`
        : `Every free square is a start: ${starts}. To use only some, paint them as starts.`}{' '}
      The goal is at most {several(farthest, 'move')} away.
      {unused === 0 ? '' : ` It cannot be reached from ${several(unused, 'free square')}.`}
      {lostPrizes.length === 0 ? '' : ` ${several(lostPrizes.length, 'prize')} cannot be reached.`}
    </p>
  );
}

interface ActionsProps {
  readonly rows: Rows;
  readonly name: string;
  readonly fault: string | null;
}

function Actions({ rows, name, fault }: ActionsProps) {
  const drawing = writeDrawing(rows);

  const train = async () => {
    const config = trainingConfig(drawing, name);
    await loadWorlds([config.env.id]);
    discardEdits();
    closePanel('maze-editor');
    choose('starts');
    startRun(config, PRESET);
  };
  const open = async (chosen: File) => {
    if (chosen.size > MOST_BYTES) {
      throw new EditorFileError(
        `It is larger than ${MOST_BYTES / 1000} kB, the limit for a drawing.`,
      );
    }
    const read = readMazeFile(await chosen.text());
    setEdits((now) => change(now, read.rows));
    useDraft.setState({ name: read.name });
  };
  return (
    <>
      <EditorFiles
        className="maze-editor-row"
        label="Maze file"
        testId="maze-file"
        onOpen={open}
        file={{
          name: `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-') || 'maze'}.txt`,
          text: writeMazeFile(name, drawing),
        }}
        run={
          fault === null ? () => ({ preset: PRESET, config: trainingConfig(drawing, name) }) : null
        }
      />
      <Button
        size="sm"
        variant="filled"
        className="maze-editor-train"
        leftSection={<IconPlayerPlayFilled size={15} aria-hidden />}
        disabled={fault !== null}
        onClick={() => void train()}
      >
        Train
      </Button>
    </>
  );
}
