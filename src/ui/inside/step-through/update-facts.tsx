import { traitsOf } from '../../../algorithms/surrogates.ts';
import { percent, several, significant, thousands } from '../../../runs/numbers.ts';
import {
  type ChangedToken,
  type FactsOf,
  type LossToken,
  placeOf,
} from '../../../runs/phase-facts.ts';
import { useStepThrough } from '../../shell/lab/step-through.ts';
import { exact, heldName, isPenalized, signed } from '../inspector/measures.ts';
import { Line, LossWorking } from '../inspector/worked.tsx';
import { ChangePicture } from './change-picture.tsx';
import { ClipPicture } from './clip-picture.tsx';
import { followToken, Numbers, Part, TokenChips, useFollowedToken } from './parts.tsx';
import { tellingLoss } from './telling.ts';

/** Maximum number of tokens listed. */
const MOST_LISTED = 48;

/**
 * Index of the selected token of an update, and the indices of those listed. If the update contains
 * the followed token, it is selected and its episode is listed.
 */
function useLossToken({ loss, rollout }: LossProps) {
  const { shown } = loss;
  const followed = placeOf(loss, useFollowedToken(rollout));
  const wanted = useStepThrough((state) => state.lossToken);
  const chosen = wanted ?? (followed >= 0 ? followed : tellingLoss(shown));
  const episode = shown[chosen]?.member;
  const own = shown.flatMap((one, place) => (one.member === episode ? [place] : []));
  const from = Math.max(0, own.indexOf(chosen) - MOST_LISTED + 1);
  return { chosen, listed: own.slice(from, from + MOST_LISTED) };
}

/** Selects a token of an update; if it belongs to the followed group, follows it through all phases. */
function choose(shown: readonly LossToken[], place: number): void {
  const { member = null, token = 0 } = shown[place] ?? {};
  if (member === null) useStepThrough.setState({ lossToken: place });
  else followToken({ member, token });
}

interface LossProps {
  /** The followed group. */
  readonly rollout: Pick<FactsOf<'rollout'>, 'members'>;
  readonly loss: FactsOf<'loss'>;
}

export function LossFacts({ rollout, loss }: LossProps) {
  const { chosen: lossToken, listed } = useLossToken({ rollout, loss });
  const { index, of, episodes, tokens, clipLow, clipHigh, held, shown, surrogate } = loss;
  const chosen = shown[lossToken] ?? shown[0];
  const followed = shown.some(({ member }) => member !== null);
  const bounded = traitsOf(surrogate).bounds !== 'nothing';
  return (
    <Part
      title={`Loss of update ${index} of ${of}`}
      lead="An iteration makes several updates, each on a part of the episodes. Before clipping, a token’s loss is −r·A, where A is its advantage and r the ratio of its current probability to its probability when it was generated. In the first update nothing has changed yet, so r is 1."
    >
      {chosen === undefined ? null : (
        <div className="step-columns">
          <ClipPicture token={chosen} shown={shown} surrogate={surrogate} />
          <div className="step-worked">
            <p className="step-follow">
              {followed
                ? 'Tokens of the followed group in this mini-batch, each with its ratio:'
                : `None of the followed episodes is in this mini-batch. These are the tokens of another episode${chosen.taskId === '' ? '' : ` (${chosen.taskId})`}, each with its ratio:`}
            </p>
            <TokenChips
              label="Tokens of the update"
              chosen={listed.indexOf(lossToken)}
              onChoose={(place) => choose(shown, listed[place] ?? 0)}
              tokens={listed
                .flatMap((place) => shown[place] ?? [])
                .map(({ text, update, turn }) => ({
                  text,
                  says: `×${update.ratio.toFixed(3)}${update.held === null ? '' : `, ${heldName(update.held, surrogate)}`}`,
                  value: Math.log(update.ratio),
                  turn,
                }))}
            />
            <div data-testid="worked">
              <ul className="working">
                <Line
                  note={
                    chosen.member === null
                      ? `turn ${chosen.turn + 1}`
                      : `episode ${chosen.member + 1}, turn ${chosen.turn + 1}`
                  }
                >
                  <span className="itoken-plain" translate="no">
                    {chosen.text}
                  </span>{' '}
                  with A = <b>{signed(chosen.advantage)}</b>
                </Line>
              </ul>
              <LossWorking
                update={chosen.update}
                advantage={chosen.advantage}
                surrogate={surrogate}
              />
            </div>
          </div>
        </div>
      )}
      <ul className="working">
        <Line note="each token with its weight, including entropy, KL and value terms">
          Σ w·loss over {several(tokens, 'token')} = <b>{exact(loss.loss)}</b>
        </Line>
      </ul>
      <Numbers
        of={[
          ['Episodes in this mini-batch', thousands(episodes)],
          ['Tokens', thousands(tokens)],
          ...(bounded ? [['Bounds of r', `${exact(clipLow)} … ${exact(clipHigh)}`] as const] : []),
          [
            bounded ? 'Clipped' : 'Penalized',
            `${thousands(held)} (${percent(held / Math.max(1, tokens))})`,
          ],
          ['Loss', exact(loss.loss)],
        ]}
      />
    </Part>
  );
}

interface UpdateProps extends LossProps {
  readonly update: FactsOf<'update'>;
}

export function UpdateFacts({ rollout, loss, update }: UpdateProps) {
  const { chosen: lossToken, listed } = useLossToken({ rollout, loss });
  const { index, of, detail, learningRate, shown, meanChange } = update;
  const { gradNorm, skipped } = detail;
  return (
    <Part
      title={`Update ${index} of ${of}`}
      lead="The gradient of the loss gives the direction for every weight. AdamW takes one step in that direction, scaled by the learning rate, and every probability changes a little."
    >
      <div className="step-columns">
        <ChangePicture shown={withBiggest(update)} />
        <div className="step-worked">
          <p className="step-follow">
            The same tokens, colored by the change in their probability:
          </p>
          <TokenChips
            label="Tokens of the update"
            chosen={listed.indexOf(lossToken)}
            onChoose={(place) => choose(loss.shown, listed[place] ?? 0)}
            tokens={listed.flatMap((place) => {
              const one = shown[place];
              if (one === undefined) return [];
              const { text, before, after } = one;
              const says = `${percent(before)} → ${percent(after)}`;
              return { text, says, value: after - before, turn: loss.shown[place]?.turn ?? 0 };
            })}
          />
          <div data-testid="worked">
            <Changed loss={loss} update={update} place={lossToken} />
            {skipped ? (
              <p className="details-note">
                The gradient was not finite, so the weights were not changed.
              </p>
            ) : (
              <Step update={update} />
            )}
          </div>
        </div>
      </div>
      <Numbers
        of={[
          ['Update number in the run', thousands(detail.update)],
          ['Gradient norm', exact(gradNorm)],
          ['Learning rate', exact(learningRate)],
          ['Mean change', `${significant(100 * meanChange)} percentage points`],
        ]}
      />
    </Part>
  );
}

/** The tokens shown, plus the one that changed most if it is not among them. */
function withBiggest({ shown, biggest }: FactsOf<'update'>): readonly ChangedToken[] {
  if (biggest === null) return shown;
  const isBiggest = ({ text, before, after }: ChangedToken) =>
    text === biggest.text && before === biggest.before && after === biggest.after;
  return shown.some(isBiggest) ? shown : [biggest, ...shown];
}

/** The selected token, before and after the update. */
function Changed({
  loss,
  update,
  place,
}: Omit<UpdateProps, 'rollout'> & { readonly place: number }) {
  const chosen = update.shown[place];
  if (chosen === undefined) return null;
  const { text, advantage, before, after } = chosen;
  const against = (after - before) * advantage < 0;
  const held = loss.shown[place]?.update.held ?? null;
  const clipped = held !== null && !isPenalized(held, loss.surrogate);
  return (
    <ul className="working">
      <Line
        note={
          clipped
            ? 'its own gradient was clipped; the gradients of other tokens changed its probability'
            : against
              ? 'against its advantage: tokens share weights, and others had larger gradients'
              : 'in the direction of its advantage'
        }
      >
        <span className="itoken-plain" translate="no">
          {text}
        </span>{' '}
        with A = {signed(advantage)}: π = {exact(before)} → <b>{exact(after)}</b>
      </Line>
    </ul>
  );
}

/** Size of the optimizer step, and the largest change. */
function Step({ update: { detail, maxGradNorm, biggest } }: Pick<UpdateProps, 'update'>) {
  const { gradNorm } = detail;
  const factor = Math.min(1, maxGradNorm / gradNorm);
  return (
    <ul className="working">
      <Line
        note={
          factor < 1
            ? 'the gradient exceeds the maximum norm and is scaled down'
            : 'the gradient is within the maximum norm'
        }
      >
        min(1, {exact(maxGradNorm)} / {exact(gradNorm)}) = <b>{exact(factor)}</b>
      </Line>
      {biggest === null ? null : (
        <Line
          note={`the largest change of a probability; its advantage is ${signed(biggest.advantage)}`}
        >
          <span className="itoken-plain" translate="no">
            {biggest.text}
          </span>{' '}
          {exact(biggest.before)} → <b>{exact(biggest.after)}</b>
        </Line>
      )}
    </ul>
  );
}
