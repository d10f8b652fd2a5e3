/**
 * Evaluation tasks that `evalTasks` omits, by environment and rung. Solving one takes a lexeme that the
 * expert writes in no training task, because the only goal with that lexeme is held out. An agent cannot
 * learn to write a token that never occurs in training, so these tasks would measure nothing. Their ids still
 * work in `reset`. `testConformance` recomputes this table over all training tasks.
 */
export const leftOutTasks: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  'bird/bird-v1': {
    all: [120, 184],
    one: [0, 9, 26, 50, 59, 79, 80, 115],
    three: [122],
    four: [9, 19, 29, 39, 49, 59, 69, 79, 89, 99, 109, 119, 129, 139, 149, 159, 169, 179, 189],
  },
  'pages/webarena-v1': {
    two: [
      4, 17, 21, 27, 37, 56, 73, 74, 82, 88, 93, 99, 100, 107, 110, 118, 121, 125, 126, 134, 138,
      140, 142, 147, 149, 164, 169, 173, 174, 179,
    ],
  },
  'tools/academia-v1': {
    all: [136],
    three: [
      0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 88, 92,
      96, 100, 104, 108, 112, 116, 120, 124, 128, 132, 136, 140, 144, 148, 152, 156, 160, 164, 168,
      172, 176, 180, 184, 188,
    ],
  },
  'tools/movie-v1': {
    one: [13, 27, 41, 55, 69, 83, 97, 111, 125, 139, 153, 167, 181],
    three: [
      2, 7, 12, 17, 22, 27, 32, 37, 42, 47, 52, 57, 62, 67, 72, 77, 82, 87, 92, 97, 102, 107, 112,
      117, 122, 127, 132, 137, 142, 147, 152, 157, 162, 167, 172, 177, 182, 187,
    ],
  },
  'tools/weather-v1': {
    all: [37],
    one: [12, 15, 37, 39, 49, 51, 63, 87, 121, 133, 135, 147, 159, 169, 171],
  },
};
