/** UI texts around the lessons, by language. */

import type { Knob } from '../knobs/knobs.ts';
import type { KnobWords } from '../knobs/panel.tsx';
import type { Language } from './store.ts';

/** The texts of a chart, and its curves by English name. */
export interface ChartWords {
  readonly title: string;
  readonly meaning: string;
  readonly unit?: string;
  readonly curves: Readonly<Record<string, string>>;
}

export interface LessonWords {
  /** The language in itself. */
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
  readonly saved: string;
  readonly rightChoice: string;
  readonly wrongChoice: string;
  readonly right: string;
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
  readonly chartLater: string;
  /** Texts of the charts that lessons show, by English title. */
  readonly charts: Readonly<Record<string, ChartWords>>;
  /** Texts of the knobs that lessons show, by English title. */
  readonly knobs: Readonly<Record<string, Pick<Knob, 'title' | 'effect'>>>;
  /** Other texts of a knob; those of the lab if missing. */
  readonly knob?: KnobWords;
  readonly agents: string;
  readonly notNow: string;
  readonly starting: string;
  /** Progress of a run; the share is the success of its recent episodes. */
  readonly standing: (iteration: number, share: string) => string;
  readonly standings: (iteration: number, shares: readonly string[]) => string;
}

export const lessonWords: Readonly<Record<Language, LessonWords>> = {
  en: {
    language: 'English',
    lessons: 'Lessons',
    lesson: (number, of) => `Lesson ${number} of ${of}`,
    intro: 'About five minutes each. Real agents train next to the text while you read.',
    here: 'last opened',
    unknown: (name) => `There is no lesson called “${name}”. Available lessons:`,
    close: 'Close lessons',
    all: 'All lessons',
    languages: 'Language of the lessons',
    back: 'Back',
    on: 'Next',
    copyLink: 'Copy link',
    linkCopied: 'Link copied',
    print: 'Print worksheet',
    predict: 'Predict first',
    saved: 'Saved. Run the experiment, then open the result to check your prediction.',
    rightChoice: 'Your prediction was right.',
    wrongChoice: 'Your prediction was wrong. The right choice is marked.',
    right: 'right',
    outcome: 'Result over many runs',
    question: 'Question',
    answers: 'Answers',
    student: 'Name',
    date: 'Date',
    toLab: 'Show in the lab',
    toLesson: 'Back to the lesson',
    noRun: 'This knob changes a run while it trains. Start one above.',
    noKnob: 'The current run does not have this knob. Start the run above.',
    noChart: 'The current run does not have this chart. Start the run above.',
    chartLater: 'The chart appears here when you start the run above.',
    charts: {},
    knobs: {},
    agents: 'Agents',
    notNow: 'Not available yet. Start the run above first.',
    starting: 'Starting …',
    standing: (iteration, share) => `Iteration ${iteration}: ${share} of the episodes succeed.`,
    standings: (iteration, shares) => `Iteration ${iteration}: ${shares.join(', ')}.`,
  },
  de: {
    language: 'Deutsch',
    lessons: 'Lektionen',
    lesson: (number, of) => `Lektion ${number} von ${of}`,
    intro:
      'Jede dauert etwa fünf Minuten. Neben dem Text trainieren echte Agenten. Die Bedienelemente des Labors sind englisch beschriftet.',
    here: 'zuletzt geöffnet',
    unknown: (name) => `Eine Lektion namens „${name}“ gibt es nicht. Verfügbare Lektionen:`,
    close: 'Lektionen schließen',
    all: 'Alle Lektionen',
    languages: 'Sprache der Lektionen',
    back: 'Zurück',
    on: 'Weiter',
    copyLink: 'Link kopieren',
    linkCopied: 'Link kopiert',
    print: 'Arbeitsblatt drucken',
    predict: 'Erst vorhersagen',
    saved: 'Gespeichert. Führe das Experiment durch und öffne dann das Ergebnis.',
    rightChoice: 'Deine Vorhersage war richtig.',
    wrongChoice: 'Deine Vorhersage war falsch. Die richtige Antwort ist markiert.',
    right: 'richtig',
    outcome: 'Ergebnis über viele Läufe',
    question: 'Frage',
    answers: 'Antworten',
    student: 'Name',
    date: 'Datum',
    toLab: 'Im Labor zeigen',
    toLesson: 'Zurück zur Lektion',
    noRun: 'Dieser Regler verändert einen Lauf während des Trainings. Starte oben einen.',
    noKnob: 'Der aktuelle Lauf hat diesen Regler nicht. Starte den Lauf oben.',
    noChart: 'Der aktuelle Lauf hat dieses Diagramm nicht. Starte den Lauf oben.',
    chartLater: 'Das Diagramm erscheint hier, sobald du den Lauf oben startest.',
    charts: {
      'Reward and success': {
        title: 'Belohnung und Erfolg',
        meaning:
          'Anteil der Episoden, die ihre Aufgabe lösen. Im Training zieht der Agent seine Wörter, in der Evaluation nimmt er das wahrscheinlichste.',
        curves: {},
      },
      'Correct answers': {
        title: 'Richtige Antworten',
        meaning:
          'Anteil der Aufgaben der Evaluation, die der Akteur richtig beantwortet: allein, und nachdem er die Kritik gelesen und noch einmal geantwortet hat. Er schreibt dabei immer das wahrscheinlichste Wort.',
        curves: { 'With the critic': 'Mit Kritiker', Alone: 'Allein' },
      },
      Entropy: {
        title: 'Entropie',
        meaning: 'Wie zufällig der Agent seine Wörter wählt.',
        unit: 'Nat',
        curves: { Entropy: 'Entropie' },
      },
      'Clip fraction': {
        title: 'Anteil des Clippings',
        meaning:
          'Anteil der Token ohne Gradienten, weil ihr Verhältnis über der oberen oder unter der unteren Grenze liegt.',
        curves: { Above: 'Darüber', Below: 'Darunter', Dual: 'Dual' },
      },
      Horizon: {
        title: 'Horizont',
        meaning: 'Die Höchstzahl der Züge pro Episode, und wie viele sie im Mittel braucht.',
        curves: { Limit: 'Höchstzahl', Used: 'Im Mittel' },
      },
    },
    knobs: {
      'Clip bounds': {
        title: 'Clipping-Grenzen',
        effect:
          'Weiter: Die Wahrscheinlichkeit eines Tokens darf sich stärker ändern, bevor das Clipping greift.',
      },
      Horizon: {
        title: 'Horizont',
        effect: 'Höher: Eine Episode darf länger dauern, bevor sie abgebrochen wird.',
      },
    },
    knob: {
      scheduled: 'Ein Zeitplan bestimmt den Wert.',
      fixAt: (value) => `Bei ${value} festhalten`,
      lower: (title) => `${title}, unten`,
      upper: (title) => `${title}, oben`,
    },
    agents: 'Agenten',
    notNow: 'Noch nicht verfügbar. Starte zuerst den Lauf oben.',
    starting: 'Startet …',
    standing: (iteration, share) =>
      `Iteration ${iteration}: ${share} der Episoden sind erfolgreich.`,
    standings: (iteration, shares) => `Iteration ${iteration}: ${shares.join(', ')}.`,
  },
};
