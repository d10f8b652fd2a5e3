import { create } from 'zustand';

/** Whether play mode is open. All else of it loads when it is. */
export const usePlayWanted = create<{ readonly wanted: boolean }>()(() => ({
  // An address that ends in #play leads straight to it.
  wanted: typeof location !== 'undefined' && location.hash === '#play',
}));

export function openPlay(wanted: boolean): void {
  usePlayWanted.setState({ wanted });
}
