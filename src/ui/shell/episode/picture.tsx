import { environmentView } from '../../../envs/views.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';
import { Boundary } from '../page/boundary.tsx';

interface PictureProps {
  readonly env: EnvironmentRef;
  readonly taskId: string;
  readonly state: unknown;
  /** Duration of the transition from the previous state, in milliseconds. */
  readonly glide: number;
  /** The last observation, shown if there is no picture. */
  readonly text: string;
  /** State of an opponent on the same task. */
  readonly rival?: unknown;
}

/** The environment's drawing; its text if there is no drawing or it fails. */
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
          <p className="stage-fault">This state could not be drawn: {message}</p>
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
