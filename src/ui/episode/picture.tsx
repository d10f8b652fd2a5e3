import { environmentView } from '../../envs/views.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { Boundary } from '../page/boundary.tsx';

interface PictureProps {
  readonly env: EnvironmentRef;
  readonly taskId: string;
  readonly state: unknown;
  /** Milliseconds from the state before to this one. */
  readonly glide: number;
  /** What the environment said last: it stands in for the picture where there is none. */
  readonly text: string;
  /** State of another that plays the same task. */
  readonly rival?: unknown;
}

/** The environment's drawn view; its words where it has none, or where drawing fails. */
export function Picture({ env, taskId, state, glide, text, rival }: PictureProps) {
  const view = environmentView(env.id);
  if (view === undefined) {
    return (
      <p className="stage-text" data-testid="stage-words">
        {text}
      </p>
    );
  }
  const { Component } = view;
  return (
    <Boundary
      resetKey={`${env.id} ${taskId} ${text}`}
      fallback={(message) => (
        <div className="stage-text" role="alert">
          <p>{text}</p>
          <p className="stage-fault">The picture of this place could not be drawn: {message}</p>
        </div>
      )}
    >
      <Component
        environmentId={env.id}
        options={env.options}
        taskId={taskId}
        state={state}
        glide={glide}
        rival={rival}
      />
    </Boundary>
  );
}
