/** Names of people; each is one lexeme everywhere. */
export const PEOPLE = [
  ...['Ada Brandt', 'Boris Keel', 'Clara Voss', 'Dario Lund', 'Edda Marsh', 'Felix Orr'],
  ...['Greta Sol', 'Hugo Pell', 'Irma Dahl', 'Jonas Reed', 'Katla Frey', 'Leo Stern'],
  ...['Mina Holt', 'Nils Arden', 'Olga Crane', 'Pavel Rook', 'Quinn Dove', 'Rosa Linde'],
  ...['Sven Adler', 'Tilda Moss', 'Ugo Ferri', 'Vera Stone', 'Wim Koster', 'Xenia Vale'],
  ...['Yann Petit', 'Zora Blum', 'Anton Grey', 'Bella Thorn', 'Cyril Nash', 'Dora Quist'],
  ...['Emil Hart', 'Freya Boyd', 'Gustav Lane', 'Hanna Wild', 'Ivo Marek', 'Jutta Salk'],
  ...['Karl Winter', 'Lena Fox', 'Milo Bergen', 'Nora Tide'],
];
