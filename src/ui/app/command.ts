import type { ReactNode } from 'react';

/** A button in the header. */
export interface HeaderButton {
  readonly name: string;
  readonly label: string;
  readonly icon: ReactNode;
  /** Its tooltip. */
  readonly hint?: string;
  /** The button never shows its label. */
  readonly iconOnly?: boolean;
  /** Hidden if no device can train. */
  readonly trains?: boolean;
  readonly useState?: () => {
    readonly disabled?: boolean;
    readonly expanded?: boolean;
    readonly label?: string;
  };
}

export interface Command {
  /** `KeyboardEvent.key`, letters in lower case. */
  readonly key?: string;
  /** Its description in the help. */
  readonly does: string;
  readonly group: 'run' | 'page';
  readonly press: (page: { readonly toggleScheme: () => void }) => void;
  /** What the key does, if it differs from the button. */
  readonly pressKey?: () => void;
  readonly header?: HeaderButton;
  readonly menu?: { readonly label: string; readonly icon: ReactNode };
}

/** Display name of a key. */
export const keyName = (key: string): string => (key === ' ' ? 'Space' : key.toUpperCase());
