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

/** A registry like `rendermime` that draws only text, tables and links. */
export function untrusted(rendermime: IRenderMimeRegistry): IRenderMimeRegistry {
  return rendermime.clone({ sanitizer: new TextSanitizer(rendermime.sanitizer) });
}

/**
 * JupyterLab's sanitizer with fewer tags.
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
    return this._sanitizer.sanitize(dirty, { ...options, allowedTags: ALLOWED_TAGS });
  }

  private readonly _sanitizer: IRenderMime.ISanitizer;
}
