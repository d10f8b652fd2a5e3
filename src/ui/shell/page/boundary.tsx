import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  readonly children: ReactNode;
  /** A change retries a failed child. */
  readonly resetKey: string;
  /** Replaces a failed child; `retry` renders it again. */
  readonly fallback: (message: string, retry: () => void) => ReactNode;
}

interface BoundaryState {
  readonly failed: { readonly message: string; readonly resetKey: string } | null;
}

/** Contains a rendering error within one part of the page. */
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
    // Remember the key that failed; a later change retries.
    return { failed: failed.resetKey === '' ? { ...failed, resetKey } : null };
  }

  readonly #retry = (): void => this.setState({ failed: null });

  override render(): ReactNode {
    const { children, fallback } = this.props;
    const { failed } = this.state;
    return failed === null ? children : fallback(failed.message, this.#retry);
  }
}
