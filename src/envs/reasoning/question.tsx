import type { ReasoningScene, SceneQuestion } from './scene.ts';

/** The question and the modulus. */
export function Asked({ scene }: { readonly scene: ReasoningScene }) {
  return (
    <div className="reasoning-asked">
      <Question question={scene.question} />
      {scene.modulus === null ? null : (
        <small className="reasoning-modulus">arithmetic modulo {scene.modulus}</small>
      )}
    </div>
  );
}

function Question({ question }: { readonly question: SceneQuestion }) {
  switch (question.kind) {
    case 'chain':
      return (
        <div className="reasoning-chain">
          <b>{question.start}</b>
          {question.operations.map((operation, i) => (
            <span key={i}>{operation}</span>
          ))}
        </div>
      );
    case 'ledger':
      return (
        <div className="reasoning-ledger">
          {question.sentences.map((sentence) => (
            <span key={sentence}>{sentence}</span>
          ))}
          <b>{question.asked}</b>
        </div>
      );
    case 'columns':
      return <Columns {...question} />;
    default:
      return question satisfies never;
  }
}

/** The two numbers below each other, the carries above them, and the solution's sum. */
function Columns({
  carries,
  first,
  second,
  sum,
}: Extract<SceneQuestion, { readonly kind: 'columns' }>) {
  const row = (name: string, digits: readonly (string | null)[], sign: string) => (
    <div className={`reasoning-row reasoning-${name}`}>
      <i>{sign}</i>
      {digits.map((digit, column) => (
        <span key={column}>{digit}</span>
      ))}
    </div>
  );
  return (
    <div className="reasoning-columns">
      {row(
        'carries',
        carries.map((carry) => (carry === '1' ? carry : null)),
        '',
      )}
      {row('number', first, '')}
      {row('number', second, '+')}
      {row('sum', sum, '')}
    </div>
  );
}
