/**
 * Drawing what a model wrote: markdown that may do nothing and fetch nothing.
 */
import { IRenderMime, IRenderMimeRegistry } from '@jupyterlab/rendermime';

// No images, media or forms: an address in an answer would be fetched by showing it, and tells its
// host whatever the answer was made to put there.
const ALLOWED_TAGS = [
  'a', 'b', 'blockquote', 'br', 'caption', 'code', 'dd', 'del', 'details', 'div', 'dl', 'dt', 'em',
  'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'ins', 'kbd', 'li', 'mark', 'ol', 'p', 'pre', 's',
  'samp', 'small', 'span', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th',
  'thead', 'tr', 'u', 'ul', 'var'
];

// No styles, which load and cover; of classes only what colours code.
const ALLOWED_ATTRIBUTES = {
  '*': ['dir', 'lang', 'title'],
  a: ['href', 'referrerpolicy'],
  details: ['open'],
  li: ['value'],
  ol: ['start', 'type'],
  td: ['align', 'colspan', 'rowspan'],
  th: ['align', 'colspan', 'rowspan', 'scope']
};
const ALLOWED_CLASSES = { code: ['language-*'], span: ['cm-*', 'tok-*', 'ͼ*'] };

// The application would draw the diagram in the page to make a picture of it, with all that it loads.
const DIAGRAM = /((?:`{3,}|~{3,})\s*)mermaid(?=\s*$)/gim;

// In formulas, what makes links, says how they look or loads code; and what gives a name another meaning, which
// it would have in all formulas of the page, those of the notebook too.
const DRESSING = 'href|url|style|class|cssId|data|bbox|mmlToken|require|unicode|html[A-Z]\\w*';
const NAMING = '[egx]?def|let|(?:re)?new(?:command|environment|tagform)|Newextarrow|Declare\\w+|definecolor|mathtoolsset|usetagform';
const MACRO = new RegExp(`\\\\(?=(?:${DRESSING}|${NAMING})(?![A-Za-z]))`, 'g');

/** Elements within elements; a fraction of fractions of fractions has sixty. */
const MAX_DEPTH = 200;

/** A registry like `rendermime` that draws only text, tables and links. */
export function untrusted(rendermime: IRenderMimeRegistry): IRenderMimeRegistry {
  const { latexTypesetter, markdownParser } = rendermime;
  return rendermime.clone({
    sanitizer: new TextSanitizer(rendermime.sanitizer),
    ...(latexTypesetter && { latexTypesetter: new TextTypesetter(latexTypesetter) }),
    ...(markdownParser && { markdownParser: new TextParser(markdownParser) })
  });
}

/**
 * JupyterLab's parser without what it draws of code.
 */
class TextParser implements IRenderMime.IMarkdownParser {
  constructor(parser: IRenderMime.IMarkdownParser) {
    this._parser = parser;
  }

  render(source: string): Promise<string> {
    return this._parser.render(source.replace(DIAGRAM, '$1text'));
  }

  private readonly _parser: IRenderMime.IMarkdownParser;
}

/**
 * JupyterLab's typesetter without what makes links, says how they look, loads code, or outlasts the text.
 */
class TextTypesetter implements IRenderMime.ILatexTypesetter {
  constructor(typesetter: IRenderMime.ILatexTypesetter) {
    this._typesetter = typesetter;
  }

  async typeset(element: HTMLElement): Promise<void> {
    // The typesetter reads on from one text to the next, and a browser makes several of a long one.
    element.normalize();
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      if (!text.parentElement?.closest('code, pre')) {
        const plain = text.data.replace(MACRO, '\\ ');
        if (plain !== text.data) {
          text.data = plain;
        }
      }
    }
    await this._typesetter.typeset(element);
    // Now, before it is laid out: a browser does that by recursion, and a page that nests too deep is gone.
    for (const formula of element.querySelectorAll('mjx-container')) {
      if (depthOf(formula) > MAX_DEPTH) {
        formula.replaceChildren(formula.textContent ?? '');
      }
    }
  }

  private readonly _typesetter: IRenderMime.ILatexTypesetter;
}

/** How deep elements stand within `root`. */
function depthOf(root: Element): number {
  let deepest = 0;
  let depth = 0;
  for (let node: Element | null = root; node; ) {
    if (node.firstElementChild) {
      node = node.firstElementChild;
      deepest = Math.max(deepest, ++depth);
      continue;
    }
    while (node && node !== root && !node.nextElementSibling) {
      node = node.parentElement;
      depth--;
    }
    node = node && node !== root ? node.nextElementSibling : null;
  }
  return deepest;
}

/** What `sanitize-html`, which JupyterLab's sanitizer hands its options to, takes besides. */
interface ITextOptions extends IRenderMime.ISanitizerOptions {
  allowedClasses: Record<string, string[]>;
  transformTags: Record<string, (tagName: string, attribs: Record<string, string>) => object>;
}

/**
 * JupyterLab's sanitizer with fewer tags and attributes.
 */
class TextSanitizer implements IRenderMime.ISanitizer {
  constructor(sanitizer: IRenderMime.ISanitizer) {
    this._sanitizer = sanitizer;
  }

  readonly allowNamedProperties = false;

  readonly allowCommandLinker = false;

  getAutolink(): boolean {
    return false;
  }

  sanitize(dirty: string, options?: IRenderMime.ISanitizerOptions): string {
    const own: ITextOptions = {
      ...options,
      allowedTags: ALLOWED_TAGS,
      allowedAttributes: ALLOWED_ATTRIBUTES,
      allowedClasses: ALLOWED_CLASSES,
      transformTags: {
        a: (tagName, attribs) => ({ tagName, attribs: link(attribs) }),
        input: (_, attribs) => ({ tagName: 'span', attribs: {}, text: boxOf(attribs) })
      }
    };
    return this._sanitizer.sanitize(dirty, own);
  }

  private readonly _sanitizer: IRenderMime.ISanitizer;
}

/** What stands for the box of a task; nothing for what else could be filled in. */
function boxOf({ type, checked }: Record<string, string>): string {
  if (type !== 'checkbox') {
    return '';
  }
  return checked === undefined ? '☐' : '☑';
}

/** The attributes of a link that says where it leads and does not tell whence it was followed. */
function link({ href = '', title = '' }: Record<string, string>): Record<string, string> {
  return { href, title: addressOf(href) ?? title, referrerpolicy: 'no-referrer' };
}

/** The whole address of what is elsewhere, its host in letters that cannot be taken for others. */
function addressOf(href: string): string | null {
  try {
    const url = new URL(href, document.baseURI);
    return url.origin === location.origin ? null : url.href;
  } catch {
    return null;
  }
}
