import type { TermTexts } from './types.ts';

export const termTexts: TermTexts = {
  heading: 'Begriffe',
  all: 'Alle Begriffe',
  close: 'Definition schließen',
  closeAll: 'Begriffe schließen',
  see: 'Siehe auch',
  inSentence: (title) => title,
  drawn: { text: 'Text bisher', turns: 'Züge', expert: 'Experte', goal: 'Ziel' },
  of: {
    token: {
      title: 'Token',
      short: 'Das kleinste Stück Text, das der Agent liest oder schreibt.',
      more: 'Ein Token ist ein Wort, ein Satzzeichen oder eine feste Wendung wie „move up“. Die Liste aller Token heißt Vokabular. Der Agent schreibt, indem er ein Token nach dem anderen zieht.',
      drawn: 'Ein Satz besteht aus Token; das letzte fügt der Agent hinzu.',
    },
    policy: {
      title: 'Strategie (Policy)',
      short:
        'Die Regel, nach der der Agent handelt: eine Wahrscheinlichkeit für jedes mögliche nächste Token.',
      more: 'Die Strategie ist ein kleiner Transformer. Zum bisherigen Text berechnet er für jedes Token des Vokabulars eine Wahrscheinlichkeit. Aus dieser Verteilung wird das nächste Token gezogen. Das Training verändert die Wahrscheinlichkeiten.',
      drawn:
        'Eingabe: der bisherige Text. Ausgabe: eine Wahrscheinlichkeit für jedes nächste Token.',
    },
    episode: {
      title: 'Episode',
      short: 'Ein Versuch an einer Aufgabe, vom Anfang bis zum Ende.',
      more: 'In jedem Zug liest der Agent eine Beobachtung und antwortet mit einer Aktion. Die Episode endet, wenn die Aufgabe gelöst oder gescheitert ist, und spätestens am Horizont.',
      drawn: 'Zug um Zug: eine Beobachtung, dann eine Aktion.',
    },
    reward: {
      title: 'Belohnung (Reward)',
      short: 'Eine Zahl aus der Umgebung, die der Agent zu maximieren lernt.',
      more: 'Sie ist die einzige Rückmeldung. Im Labyrinth gibt das Ziel 1, alles andere 0. Die Belohnung sagt nicht, welcher Schritt gut war; das schätzen die Vorteile.',
      drawn: 'Viele Schritte und eine Belohnung am Ende.',
    },
    horizon: {
      title: 'Horizont',
      short: 'Die Höchstzahl der Züge pro Episode.',
      more: 'Ein kurzer Horizont ist billig, aber Aufgaben, die mehr Züge brauchen, können nicht gelingen. Ein langer ermöglicht sie und kostet mehr. ScalingInter-RL beginnt kurz und verlängert den Horizont schrittweise.',
      drawn: 'Dieselbe Aufgabe mit kurzem und mit längerem Horizont.',
    },
    evaluation: {
      title: 'Evaluation',
      short: 'Ein Test zwischen zwei Iterationen, der das Training nicht beeinflusst.',
      more: 'Der Agent spielt eine feste Menge von Aufgaben und wählt dabei immer das wahrscheinlichste Token. Die meisten Umgebungen halten dafür eigene Aufgaben zurück. Das Doppel-T-Labyrinth hat zu wenige und verwendet die Aufgaben des Trainings.',
      drawn: 'Die Kurve zeigt den Erfolg im Training, jeder Punkt eine Evaluation.',
    },
    greedy: {
      title: 'Greedy-Spiel',
      short: 'Immer das wahrscheinlichste Token nehmen, statt zu ziehen.',
      more: 'Im Training zieht der Agent seine Token, damit er erkundet. Das Greedy-Spiel zeigt, welche Aktionen er bevorzugt. Die beiden Erfolgsquoten unterscheiden sich, solange die Entropie der Strategie hoch ist.',
      drawn: 'Das Greedy-Spiel nutzt nur die größte Wahrscheinlichkeit.',
    },
    imitation: {
      title: 'Nachahmung (Imitation)',
      short: 'Überwachtes Training mit den Dialogen eines Experten, auch Behavior Cloning genannt.',
      more: 'Der Agent lernt, die Aktionen des Experten zu wiederholen. Das geht schnell, reicht aber nur so weit wie das, was der Experte zeigt. Das bestärkende Lernen macht von dort aus weiter.',
      drawn: 'Der Agent folgt dem Weg des Experten.',
    },
    update: {
      title: 'Lernschritt (Update)',
      short: 'Ein Schritt des Optimierers, der alle Gewichte der Strategie verändert.',
      more: 'Nach den Episoden einer Iteration macht der Optimierer mehrere Lernschritte. Jeder verschiebt die Gewichte ein wenig in Richtung des Gradienten.',
      drawn: 'Jeder Lernschritt ist ein kleiner Schritt bergauf.',
    },
    gradient: {
      title: 'Gradient',
      short:
        'Die Richtung, in der eine kleine Änderung der Gewichte die Zielfunktion am stärksten verbessert.',
      more: 'Seine Norm ist seine Länge. Ein plötzlicher Sprung geht oft einem Zusammenbruch voraus. Deshalb werden zu große Gradienten auf eine Höchstnorm gekürzt.',
      drawn: 'Er zeigt bergauf; seine Länge ist die Steigung.',
    },
    advantage: {
      title: 'Vorteil (Advantage)',
      short: 'Um wie viel eine Aktion besser war als erwartet.',
      more: 'Aktionen mit positivem Vorteil werden wahrscheinlicher, solche mit negativem weniger wahrscheinlich. Die Erwartung kommt von einem Wertekopf (PPO) oder von den anderen Episoden derselben Aufgabe (GRPO).',
      drawn:
        'Die Linie ist die Erwartung. Aktionen darüber werden wahrscheinlicher, Aktionen darunter weniger wahrscheinlich.',
    },
    value: {
      title: 'Wertekopf',
      short: 'Ein zweiter Ausgang des Netzes, der den zu erwartenden Ertrag vorhersagt.',
      more: 'Er wird zusammen mit der Strategie trainiert. Nahe am Ziel ist der Wert hoch, weit davon niedrig. Vorteile werden relativ zu ihm berechnet.',
      drawn: 'Dunklere Felder haben einen höheren Wert.',
    },
    objective: {
      title: 'Ersatzzielfunktion (Surrogate)',
      short:
        'Die differenzierbare Zielfunktion, die die Lernschritte statt der Belohnung maximieren.',
      more: 'Die Belohnung lässt sich nicht ableiten, die Ersatzzielfunktion schon: Sie multipliziert das Verhältnis jedes Tokens mit seinem Vorteil. Solange sich die Strategie wenig von der unterscheidet, die gespielt hat, erhöht ein größerer Wert auch die erwartete Belohnung.',
      drawn:
        'Nahe der aktuellen Strategie stimmt die Ersatzzielfunktion mit der Belohnung überein, weiter weg weicht sie ab.',
    },
    ratio: {
      title: 'Verhältnis (Ratio)',
      short:
        'Die aktuelle Wahrscheinlichkeit eines Tokens, geteilt durch die, mit der es gezogen wurde.',
      more: 'Ein Verhältnis von 1 heißt: keine Änderung. Je weiter es von 1 entfernt ist, desto weniger sagen die alten Episoden über die aktuelle Strategie.',
      drawn: 'Wahrscheinlichkeit damals und jetzt: Hier ist das Verhältnis 1,5.',
    },
    clipping: {
      title: 'Clipping',
      short:
        'Token, deren Verhältnis in Richtung ihres Vorteils über eine Grenze hinausgegangen ist, erhalten keinen Gradienten.',
      more: 'Grenzen wie 0,8 und 1,2 verhindern, dass wenige Episoden die Strategie zu stark verändern. Der Anteil des Clippings gibt an, wie viele Token betroffen sind.',
      drawn:
        'Bei positivem Vorteil wächst die Zielfunktion mit dem Verhältnis bis zur oberen Grenze und bleibt dann gleich.',
    },
    entropy: {
      title: 'Entropie',
      short: 'Wie zufällig die Strategie wählt.',
      more: 'Sie ist am höchsten, wenn alle Token gleich wahrscheinlich sind, und 0, wenn ein Token die Wahrscheinlichkeit 1 hat. Im Training sinkt sie. Sinkt sie zu früh, erkundet der Agent nicht mehr.',
      drawn: 'Links hohe Entropie, rechts niedrige.',
    },
    nat: {
      title: 'Nat',
      short: 'Die Einheit der Entropie bei natürlichen Logarithmen.',
      more: 'Eine Wahl unter n gleich wahrscheinlichen Token hat ln n Nat: 0,69 bei zwei, 2,3 bei zehn. Ein Nat sind etwa 1,44 Bit.',
      drawn: 'Entropie einer Wahl unter 2, 4 und 8 gleich wahrscheinlichen Token.',
    },
    kl: {
      title: 'KL-Divergenz',
      short: 'Ein Maß dafür, wie stark sich zwei Verteilungen unterscheiden, in Nat.',
      more: 'Bei gleichen Verteilungen ist sie 0. Hier ist sie der mittlere Abstand während der Lernschritte einer Iteration von der Strategie, die die Token erzeugt hat. Ein plötzlicher Anstieg bedeutet, dass die Schritte zu groß sind.',
      drawn:
        'Wahrscheinlichkeiten vorher und nachher: Je mehr sie sich unterscheiden, desto größer ist die KL-Divergenz.',
    },
  },
};
