import { memo } from 'react';
import Markdown from 'react-markdown';
import remarkDirective from 'remark-directive';
import { asElements } from './directives.ts';
import { parts } from './parts/index.ts';

const plugins = [remarkDirective, asElements];

/** A lesson’s Markdown with its live parts. No text becomes markup: it is read into React’s elements. */
export const LessonText = memo(function LessonText({ text }: { readonly text: string }) {
  return (
    <Markdown remarkPlugins={plugins} components={parts} skipHtml>
      {text}
    </Markdown>
  );
});
