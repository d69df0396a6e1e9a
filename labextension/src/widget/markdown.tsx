/**
 * What a model wrote, where JupyterLab's renderer is not: markdown that may do nothing and fetch nothing.
 */
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import * as React from 'react';

// No images, media or forms: an address in a summary would be fetched by showing it, and tells its
// host whatever the summary was made to put there.
const ALLOWED_TAGS = [
  'a', 'b', 'blockquote', 'br', 'caption', 'code', 'dd', 'del', 'details', 'div', 'dl', 'dt', 'em',
  'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'ins', 'kbd', 'li', 'mark', 'ol', 'p', 'pre', 's',
  'samp', 'small', 'span', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th',
  'thead', 'tr', 'u', 'ul', 'var'
];
const ALLOWED_ATTR = ['href', 'title', 'align', 'colspan', 'rowspan', 'start'];
const LINK = /^(https?:\/\/|mailto:)/i;

// HTML and pictures are shown as they are written: Chromium loads some media of a page that is only
// parsed, so even the sanitizer must not see them.
const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text, block }) => (block ? `<p>${escaped(text.trim()).replace(/\n/g, '<br>')}</p>` : escaped(text)),
    image: ({ raw }) => escaped(raw),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ ')
  }
});

/** `text` as HTML that only shows. */
export function markdownHtml(text: string): string {
  const purifier = DOMPurify(window);
  purifier.addHook('afterSanitizeAttributes', node => {
    if (node.tagName === 'A' && node.hasAttribute('href')) {
      node.setAttribute('target', '_blank');
      node.setAttribute('rel', 'noopener noreferrer');
      // Where a link leads is seen before it is followed.
      node.setAttribute('title', (node as HTMLAnchorElement).href);
    }
  });
  return purifier.sanitize(marked.parse(text) as string, {
    ALLOWED_TAGS,
    ALLOWED_ATTR,
    // The others are addresses to it.
    ADD_URI_SAFE_ATTR: ['align', 'colspan', 'rowspan', 'start'],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: LINK
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

export function Markdown({ text }: { readonly text: string }): React.JSX.Element {
  const html = React.useMemo(() => markdownHtml(text), [text]);
  return <div className="jp-pi-Inspector-markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
