import { memo } from 'react';
import Markdown from 'react-markdown';
import remarkDirective from 'remark-directive';
import { asElements } from './directives.ts';
import { parts } from './parts/index.ts';

const plugins = [remarkDirective, asElements];

/** A lesson’s Markdown with its interactive parts, rendered to React elements without raw HTML. */
export const LessonText = memo(function LessonText({ text }: { readonly text: string }) {
  return (
    <Markdown remarkPlugins={plugins} components={parts} skipHtml>
      {text}
    </Markdown>
  );
});
