/** What stands around the lessons, in each language. */

import type { Language } from './store.ts';

export interface LessonWords {
  /** The language’s own name. */
  readonly language: string;
  readonly lessons: string;
  readonly lesson: (number: number, of: number) => string;
  readonly intro: string;
  readonly here: string;
  readonly unknown: (name: string) => string;
  readonly close: string;
  readonly all: string;
  readonly languages: string;
  readonly back: string;
  readonly on: string;
  readonly copyLink: string;
  readonly linkCopied: string;
  readonly print: string;
  readonly predict: string;
  readonly said: string;
  readonly outcome: string;
  readonly question: string;
  readonly answers: string;
  readonly student: string;
  readonly date: string;
  readonly toLab: string;
  readonly toLesson: string;
  readonly noRun: string;
  readonly noKnob: string;
  readonly noChart: string;
  readonly notNow: string;
  readonly starting: string;
  /** Where a run stands; the share is of its newest episodes. */
  readonly standing: (iteration: number, share: string) => string;
  readonly standings: (iteration: number, shares: readonly string[]) => string;
}

export const lessonWords: Readonly<Record<Language, LessonWords>> = {
  en: {
    language: 'English',
    lessons: 'Lessons',
    lesson: (number, of) => `Lesson ${number} of ${of}`,
    intro: 'About five minutes each, with agents that learn beside the text while you read.',
    here: 'you were here',
    unknown: (name) => `There is no lesson called “${name}”. These are all:`,
    close: 'Close the lessons',
    all: 'All lessons',
    languages: 'Language of the lessons',
    back: 'Back',
    on: 'Next',
    copyLink: 'Copy the link',
    linkCopied: 'Link copied',
    print: 'Print the sheet',
    predict: 'Predict first',
    said: 'Noted. Now try it.',
    outcome: 'What many runs show',
    question: 'Question',
    answers: 'Answers',
    student: 'Name',
    date: 'Date',
    toLab: 'Look at the lab',
    toLesson: 'Back to the lesson',
    noRun: 'This knob acts on a run that trains. Begin one above.',
    noKnob: 'The run that is open has no such knob. Begin the one above.',
    noChart: 'The run that is open has no such chart. Begin the one above.',
    notNow: 'It is not on the page now. Begin the run above first.',
    starting: 'It begins …',
    standing: (iteration, share) => `Iteration ${iteration}: ${share} of its episodes succeed.`,
    standings: (iteration, shares) => `Iteration ${iteration}: ${shares.join(', ')}.`,
  },
  de: {
    language: 'Deutsch',
    lessons: 'Lektionen',
    lesson: (number, of) => `Lektion ${number} von ${of}`,
    intro:
      'Jede dauert etwa fünf Minuten. Während man liest, lernen neben dem Text echte Agenten. Die Knöpfe des Labors selbst sind englisch beschriftet.',
    here: 'hier warst du',
    unknown: (name) => `Eine Lektion namens „${name}“ gibt es nicht. Das sind alle:`,
    close: 'Lektionen schließen',
    all: 'Alle Lektionen',
    languages: 'Sprache der Lektionen',
    back: 'Zurück',
    on: 'Weiter',
    copyLink: 'Link kopieren',
    linkCopied: 'Link kopiert',
    print: 'Arbeitsblatt drucken',
    predict: 'Erst raten',
    said: 'Gemerkt. Jetzt probier es aus.',
    outcome: 'Was viele Läufe zeigen',
    question: 'Frage',
    answers: 'Antworten',
    student: 'Name',
    date: 'Datum',
    toLab: 'Zum Labor',
    toLesson: 'Zurück zur Lektion',
    noRun: 'Dieser Regler wirkt auf einen laufenden Versuch. Starte oben einen.',
    noKnob: 'Der offene Versuch hat diesen Regler nicht. Starte den von oben.',
    noChart: 'Der offene Versuch hat dieses Diagramm nicht. Starte den von oben.',
    notNow: 'Das ist gerade nicht zu sehen. Starte zuerst den Versuch oben.',
    starting: 'Es geht los …',
    standing: (iteration, share) => `Iteration ${iteration}: ${share} der Episoden gelingen.`,
    standings: (iteration, shares) => `Iteration ${iteration}: ${shares.join(', ')}.`,
  },
};
