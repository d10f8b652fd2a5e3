import { create } from 'zustand';
import { type Language, languageOf } from '../../../envs/written/card.ts';
import { permission } from '../../../envs/written/permission.ts';
import { templates } from '../../../envs/written/templates.ts';
import { readKept, writeKept } from '../../shell/browser/kept.ts';
import { useLab } from '../../shell/lab/store.ts';

/** The code in the editor; it is kept in this browser. */
export interface Draft {
  readonly code: string;
  readonly language: Language;
  /** Whether the code may run. Code from a file is shown before it runs. */
  readonly mayRun: boolean;
}

const KEY = 'code-draft';

function kept(): Draft | null {
  try {
    const found: unknown = JSON.parse(readKept(KEY) ?? 'null');
    if (typeof found !== 'object' || found === null) return null;
    if (!('code' in found) || typeof found.code !== 'string') return null;
    const language = 'language' in found && found.language === 'python' ? 'python' : 'javascript';
    return { code: found.code, language, mayRun: 'mayRun' in found && found.mayRun === true };
  } catch {
    return null;
  }
}

/** The code of the current run, else the code of the last visit, else the first template. */
function initial(): Draft {
  const { id, options } = useLab.getState().config.env;
  const language = languageOf(id);
  const { code } = options;
  if (language !== undefined && typeof code === 'string' && code !== '') {
    return { code, language, mayRun: permission.mayRun(code) };
  }
  const [{ code: first, language: its }] = templates;
  return kept() ?? { code: first, language: its, mayRun: true };
}

export const useDraft = create<Draft>()(initial);

useDraft.subscribe((draft) => writeKept(KEY, JSON.stringify(draft)));
