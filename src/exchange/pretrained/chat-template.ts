/** Extracts the text that a model's chat template adds around the messages of a dialogue. */
import { Template } from '@huggingface/jinja';
import { AgentFileError } from '../errors.ts';

/** Template text around observations and actions. */
interface ChatFrame {
  /** Before the first observation. */
  readonly opening: string;
  /** Between an observation and the action. */
  readonly action: string;
  /** Between an action and the next observation; starts with the token that ends the action. */
  readonly between: string;
}

/** A message of a chat. */
interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Placeholder content that no template modifies or tests for. */
const mark = (n: number) => `@observation-and-action-${n}@`;

/** Number of turns rendered to infer the frame. */
const TURNS = 3;

/**
 * Infers the frame from rendered dialogues. Training reuses the tokens sampled in the rollout, so the text
 * around each turn must be the same in every turn, and later turns must not change earlier ones. If a
 * template adds text before the newest answer only, such as an empty thought block, the frame has that text
 * before every answer.
 *
 * @param template Jinja source
 * @param special special tokens by their template variables, such as `bos_token`
 * @param before messages that precede the first observation
 * @throws {AgentFileError} for a template that fails or changes earlier turns
 */
export function chatFrame(
  template: string,
  special: Readonly<Record<string, string>>,
  before: readonly Message[],
): ChatFrame {
  const compiled = compile(template);
  const render = (messages: readonly Message[]): string => {
    try {
      return compiled.render({
        ...special,
        messages: messages.map((message) => ({ ...message })),
        add_generation_prompt: true,
        enable_thinking: false,
      });
    } catch (error) {
      throw failed(error);
    }
  };
  const turns = Array.from({ length: TURNS }, (_, t): Message[] => [
    { role: 'user', content: mark(2 * t) },
    { role: 'assistant', content: mark(2 * t + 1) },
  ]).flat();
  const [first] = turns;
  if (first === undefined) throw new RangeError('no turns');
  const [opening, prompt] = around(render([...before, first]), 1);
  const texts = around(render([...before, ...turns.slice(0, -1)]), 2 * TURNS - 1);
  const answers = texts.slice(1, -1).filter((_, i) => i % 2 === 0);
  const nexts = texts.slice(1, -1).filter((_, i) => i % 2 === 1);
  const [answer = ''] = answers;
  const [between = ''] = nexts;
  const same = answers.every((text) => text === answer) && nexts.every((text) => text === between);
  const last = texts.at(-1) ?? '';
  if (!same || texts[0] !== opening || last !== prompt || !last.startsWith(answer)) {
    throw new AgentFileError(
      'its chat template changes earlier messages when a dialogue continues, so training would see different tokens than the rollout',
    );
  }
  return { opening: opening ?? '', action: last, between };
}

function compile(template: string): Template {
  try {
    return new Template(template);
  } catch (error) {
    throw failed(error);
  }
}

function failed(error: unknown): AgentFileError {
  const why = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : '';
  return new AgentFileError(`its chat template cannot be rendered: ${why}`);
}

/** The texts around `count` marks, which must each occur once and in order. */
function around(text: string, count: number): string[] {
  const texts: string[] = [];
  let rest = text;
  for (let n = 0; n < count; n++) {
    const [before = '', after, ...more] = rest.split(mark(n));
    if (after === undefined || more.length > 0) {
      throw new AgentFileError('its chat template leaves out or repeats a message');
    }
    texts.push(before);
    rest = after;
  }
  return [...texts, rest];
}
