import { create } from 'zustand';

/** Settings that were not used as they were written, a sentence each. */
export interface ReplacedSettings {
  /** Where they stood. */
  readonly of: 'the address' | 'this kept run' | 'this run of a sweep' | 'the run file';
  readonly notes: readonly string[];
}

export const useReplacedSettings = create<ReplacedSettings>()(() => ({
  of: 'the address',
  notes: [],
}));
