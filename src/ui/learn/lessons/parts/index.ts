/** The component of each directive. */

import type { ComponentType } from 'react';
import type { Components } from 'react-markdown';
import { type DirectiveName, elementOf } from '../directives.ts';
import { Option, Options, Outcome, Predict, Question } from './asked.tsx';
import { Pair, SketchFirst, Start } from './begin.tsx';
import { Fault, Kept, TermWord } from './inline.tsx';
import { LiveChart, LiveKnob } from './live.tsx';
import { Draw, Inside, Look, Walk } from './look.tsx';

// Attributes are strings; `faultOf` has checked that the required ones are present.
// biome-ignore lint/suspicious/noExplicitAny: each part declares its own props.
type Part = ComponentType<any>;

const byDirective: Readonly<Record<DirectiveName, Part>> = {
  term: TermWord,
  kept: Kept,
  start: Start,
  twins: Pair,
  sketch: SketchFirst,
  knob: LiveKnob,
  chart: LiveChart,
  walk: Walk,
  draw: Draw,
  network: Inside,
  look: Look,
  predict: Predict,
  outcome: Outcome,
  question: Question,
};

const all: Readonly<Record<string, Part>> = {
  ...Object.fromEntries(
    Object.entries(byDirective).map(([name, part]) => [elementOf(name as DirectiveName), part]),
  ),
  [elementOf('options')]: Options,
  [elementOf('option')]: Option,
  [elementOf('fault')]: Fault,
};

export const parts: Components = all;
