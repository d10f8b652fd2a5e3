import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  readonly children: ReactNode;
  /** When this changes, what failed is tried again. */
  readonly resetKey: string;
  /** What is shown in place of what failed; `retry` tries it once more. */
  readonly fallback: (message: string, retry: () => void) => ReactNode;
}

interface BoundaryState {
  readonly failed: { readonly message: string; readonly resetKey: string } | null;
}

/** Keeps an error in one part of the page to that part. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override readonly state: BoundaryState = { failed: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    const message = error instanceof Error ? error.message : String(error);
    return { failed: { message, resetKey: '' } };
  }

  static getDerivedStateFromProps(
    { resetKey }: BoundaryProps,
    { failed }: BoundaryState,
  ): BoundaryState | null {
    if (failed === null || failed.resetKey === resetKey) return null;
    // The first look after the failure notes what it failed with; a later change tries again.
    return { failed: failed.resetKey === '' ? { ...failed, resetKey } : null };
  }

  readonly #retry = (): void => this.setState({ failed: null });

  override render(): ReactNode {
    const { children, fallback } = this.props;
    const { failed } = this.state;
    return failed === null ? children : fallback(failed.message, this.#retry);
  }
}
