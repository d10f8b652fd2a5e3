import { Verdict, ViewRoot } from '../view-parts.tsx';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import {
  type Card,
  describeScene,
  isSearchQaState,
  type Link,
  type SearchQaScene,
  type Segment,
  searchQaScene,
} from './scene.ts';
import './view.css';

/** Time for typing the query, and the delay between cards, as shares of `glide`. */
const WRITING = 0.5;
const WAITING = 0.12;
/** With more cards than this, each shows one line, except those on the path to the answer. */
const MANY = 3;
/** Height reserved for results, so that the view hardly grows when they appear. */
const RESULTS_EM = 11.5;

/** The question, the path to its answer as far as found, the last search, and the answer. */
function SearchQaView({ options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isSearchQaState(state)) return null;
  const scene = searchQaScene(options, state);
  return (
    <ViewRoot name="searchqa" description={describeScene(scene)} scene={scene}>
      <div className="view-column" key={taskId}>
        <p className="view-question">
          {scene.question.map(({ text, role }) => (
            <span key={`${role} ${text}`} className={`searchqa-${role}`}>
              {text}
            </span>
          ))}
        </p>
        <Chain links={scene.chain} glide={glide} />
        <SearchBox scene={scene} glide={glide} />
        <Results scene={scene} glide={glide} />
        <Outcome scene={scene} glide={glide} />
      </div>
    </ViewRoot>
  );
}

/** Entities have the color of the part of the question that refers to them. */
const linkClass = (i: number, links: readonly Link[]) =>
  i === 0 ? 'searchqa-subject' : i === links.length - 1 ? 'searchqa-goal' : 'searchqa-first';

/** Subject → relation → bridge → relation → answer; a question mark for what is not found yet. */
function Chain({ links, glide }: { readonly links: readonly Link[]; readonly glide: number }) {
  return (
    <div className="searchqa-chain">
      {links.map((link, i) => (
        <Node
          key={link.relation ?? 'subject'}
          link={link}
          role={linkClass(i, links)}
          edge={i === 1 ? 'searchqa-first' : 'searchqa-second'}
          glide={glide}
        />
      ))}
    </div>
  );
}

interface NodeProps {
  readonly link: Link;
  readonly role: string;
  readonly edge: string;
  readonly glide: number;
}

function Node({ link: { relation, value, status }, role, edge, glide }: NodeProps) {
  return (
    <>
      {relation === null ? null : (
        <span className={`searchqa-edge ${edge}`}>
          <small>{relation}</small>
        </span>
      )}
      <span
        className={`searchqa-node searchqa-${status} ${role}`}
        style={{ transitionDuration: `${glide}ms` }}
      >
        <span key={status} className="view-appear" style={{ animationDuration: `${glide}ms` }}>
          {status === 'hidden' ? '?' : value}
        </span>
      </span>
    </>
  );
}

function SearchBox({ scene, glide }: { readonly scene: SearchQaScene; readonly glide: number }) {
  const { queries, turn, turnLimit, wasted } = scene;
  const query = queries.at(-1);
  return (
    <div className="searchqa-box">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="6.8" cy="6.8" r="4.6" />
        <path d="m10.3 10.3 4 4" />
      </svg>
      {query === undefined ? (
        <span className="view-empty">no search yet</span>
      ) : (
        <span
          key={queries.length}
          className="searchqa-query"
          style={{ animationDuration: `${WRITING * glide}ms` }}
        >
          {query === '' ? ' ' : query}
        </span>
      )}
      <span className="searchqa-turns">
        {wasted > 0 ? <em>{wasted} not understood · </em> : null}
        {turn} of {turnLimit} turns used
      </span>
    </div>
  );
}

function Results({ scene, glide }: { readonly scene: SearchQaScene; readonly glide: number }) {
  const { cards, queries, documents } = scene;
  return (
    <div
      className={documents > MANY ? 'searchqa-results searchqa-many' : 'searchqa-results'}
      key={queries.length}
      style={{ minHeight: documents > 1 ? `${RESULTS_EM}em` : undefined }}
    >
      {cards === null ? (
        <p className="view-empty">
          Search results appear here. Besides the question, they are all that the agent sees.
        </p>
      ) : cards.length === 0 ? (
        <p className="view-empty">No passage has these words.</p>
      ) : (
        cards.map((card, i) => <Result key={i} card={card} place={i} glide={glide} />)
      )}
    </div>
  );
}

interface ResultProps {
  readonly card: Card;
  readonly place: number;
  readonly glide: number;
}

function Result({ card: { title, text, onTheWay }, place, glide }: ResultProps) {
  return (
    <div
      className={onTheWay ? 'searchqa-card searchqa-way' : 'searchqa-card'}
      style={{
        animationDuration: `${glide}ms`,
        animationDelay: `${(WRITING + WAITING * place) * glide}ms`,
      }}
    >
      <p>
        <b>
          <Marked segments={title} />
        </b>{' '}
        <Marked segments={text} />
      </p>
    </div>
  );
}

const segmentClasses = {
  none: undefined,
  match: 'searchqa-match',
  evidence: 'searchqa-evidence',
} as const;

function Marked({ segments }: { readonly segments: readonly Segment[] }) {
  return segments.map(({ text, mark }, i) => (
    <span key={i} className={segmentClasses[mark]}>
      {text}
    </span>
  ));
}

/** The last answer with a tick or a cross, and the correct answer if it was not given. */
function Outcome({ scene, glide }: { readonly scene: SearchQaScene; readonly glide: number }) {
  const { answers, outcome, truth } = scene;
  const answer = answers.at(-1);
  return (
    <Verdict
      key={answers.length}
      right={answer === undefined ? (truth === null ? null : false) : answer.right}
      glide={glide}
      truth={
        truth === null || outcome === 'success' ? null : (
          <>
            Correct answer: <b>{truth}</b>
          </>
        )
      }
    >
      {answer !== undefined ? (
        <>
          Answer: <b>{answer.text.trim() === '' ? '(empty)' : answer.text}</b>
        </>
      ) : truth === null ? (
        'no answer yet'
      ) : (
        'No turns are left.'
      )}
    </Verdict>
  );
}

/** No keys: a query is free text, so the page lists actions instead. */
export const view: EnvironmentView = { Component: SearchQaView, keys: {} };
