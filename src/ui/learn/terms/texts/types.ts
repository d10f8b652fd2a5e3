import type { TermName } from '../../../shell/terms/terms.ts';

interface TermText {
  readonly title: string;
  /** The definition, in one sentence. */
  readonly short: string;
  /** What it means in Palestra. */
  readonly more: string;
  /** Caption of the drawing. */
  readonly drawn: string;
}

export interface TermTexts {
  readonly heading: string;
  readonly all: string;
  readonly close: string;
  readonly closeAll: string;
  readonly see: string;
  /** A title within a sentence. */
  readonly inSentence: (title: string) => string;
  /** Words in drawings. The agent’s words stay English. */
  readonly drawn: Readonly<Record<'text' | 'turns' | 'expert' | 'goal', string>>;
  readonly of: Readonly<Record<TermName, TermText>>;
}
