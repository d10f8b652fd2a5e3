import { create } from 'zustand';

/** What of the page's address was not used as it was written, a sentence each. */
export const useAddressNotes = create<{ readonly notes: readonly string[] }>()(() => ({
  notes: [],
}));
