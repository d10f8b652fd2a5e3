import type { Page } from '@playwright/test';

/** Drops a file on the page. */
export const dropFile = (page: Page, name: string, content: string) =>
  dropFiles(page, [[name, content]]);

/** Drops several files on the page. */
export async function dropFiles(
  page: Page,
  dropped: readonly (readonly [name: string, content: string])[],
): Promise<void> {
  await page.evaluate((all) => {
    const files = new DataTransfer();
    for (const [name, text] of all) files.items.add(new File([text], name));
    document.body.dispatchEvent(
      new DragEvent('dragover', { dataTransfer: files, bubbles: true, cancelable: true }),
    );
    if (!document.documentElement.hasAttribute('data-dropping')) throw new Error('not taken');
    document.body.dispatchEvent(
      new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }),
    );
  }, dropped);
}

/** Console output as verl prints it; from step 6 on, updates are too large and clipped. */
export const verlLog = Array.from({ length: 20 }, (_, i) => {
  const far = i >= 5;
  const metrics = {
    'actor/entropy': 0.6 - 0.01 * i,
    'actor/ppo_kl': far ? 0.3 : 0.004,
    'actor/pg_clipfrac': far ? 0.5 : 0.02,
    'actor/grad_norm': far ? 4 : 0.5,
    'critic/score/mean': far ? 0.2 : 0.4 + 0.05 * i,
    'critic/score/min': 0,
    'critic/score/max': 1,
    'response_length/mean': 100 + i,
  };
  const told = Object.entries(metrics).map(([key, value]) => `${key}:${value}`);
  return `\u001b[36m(TaskRunner pid=7)\u001b[0m step:${i + 1} - ${told.join(' - ')}\n`;
}).join('');
