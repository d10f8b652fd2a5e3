/** Levels of reasoning environments, hardest last. */
export const levelNumbers = [1, 2, 3, 4, 5, 6, 7] as const;
