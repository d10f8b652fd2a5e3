import { create } from 'zustand';

/** Whether the gallery is open, and whether it ever was. */
export const useGallery = create<{ readonly open: boolean; readonly wanted: boolean }>()(() => ({
  open: false,
  wanted: false,
}));

export function openGallery(open: boolean): void {
  useGallery.setState(open ? { open, wanted: true } : { open });
}
