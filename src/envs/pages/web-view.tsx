import { Verdict, ViewRoot } from '../view-parts.tsx';
import type { EnvironmentViewProps } from '../views.ts';
import { isPagesState } from './core/episode.ts';
import { BrowserFrame } from './frame.tsx';
import { webDesk } from './kits.ts';
import { describeWeb, type ShownPart, type WebScene, webScene } from './webarena/scene.ts';

/** The objective, and a browser with its tabs and the page in front. */
export function WebView({ options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isPagesState(state)) return null;
  const scene = webScene(webDesk(options), state);
  return (
    <ViewRoot name="pages-view" description={describeWeb(scene)} scene={scene}>
      <div className="view-column" key={taskId}>
        <p className="web-objective view-question">
          {scene.objective.map(({ text, name }, i) => {
            const Tag = name ? 'b' : 'span';
            return (
              <Tag key={i} translate="no">
                {text}
              </Tag>
            );
          })}
        </p>
        <BrowserFrame
          tabs={scene.tabs}
          address={scene.address}
          last={scene.last}
          turn={scene.turn}
          turnLimit={scene.turnLimit}
          glide={glide}
        >
          <ol
            className="web-page"
            key={`${scene.address} ${scene.above}`}
            style={{ animationDuration: `${glide}ms` }}
          >
            {scene.above > 0 ? <li className="web-more">{scene.above} above</li> : null}
            {scene.parts.map((part) => (
              <Part
                key={part.touched ? `${part.id} ${scene.turn}` : part.id}
                part={part}
                glide={glide}
              />
            ))}
            {scene.below > 0 ? <li className="web-more">{scene.below} below</li> : null}
          </ol>
        </BrowserFrame>
        <Outcome scene={scene} glide={glide} />
      </div>
    </ViewRoot>
  );
}

interface PartProps {
  readonly part: ShownPart;
  readonly glide: number;
}

/** A part of the page with its number; the one last clicked or typed into is highlighted. */
function Part({ part: { id, role, name, value, touched }, glide }: PartProps) {
  return (
    <li
      className={`web-part web-${role.toLowerCase()}${touched ? ' web-touched' : ''}`}
      style={touched ? { animationDuration: `${glide}ms` } : undefined}
    >
      <small>{id}</small>
      {role === 'textbox' ? (
        <>
          <span translate="no">{name}</span>
          <i translate="no">{value}</i>
        </>
      ) : (
        <span translate="no">{name}</span>
      )}
    </li>
  );
}

function Outcome({ scene, glide }: { readonly scene: WebScene; readonly glide: number }) {
  const { outcome, answer, faults } = scene;
  const right = outcome === 'running' ? null : outcome === 'success';
  return (
    <Verdict right={right} glide={glide} truth={faults.join(' ') || null}>
      {right === null ? (
        'not stopped yet'
      ) : answer === null ? (
        'No turns are left.'
      ) : (
        <>
          Stopped with <b translate={answer === '' ? undefined : 'no'}>{answer || '(nothing)'}</b>
        </>
      )}
    </Verdict>
  );
}
