/**
 * Markdown as a model writes it, made into what the renderer of the application reads.
 *
 * Formulas between `\( \)` and `\[ \]` are no markdown: without help their backslashes are lost.
 */

// Code, in which nothing is a formula; formulas between dollars, the second of which ends no amount of money;
// and what stands alone.
const FENCED = '^( {0,3})(`{3,}|~{3,})[^\\n]*\\n[\\s\\S]*?(?:\\n\\1?\\2[`~]*[ \\t]*$|$(?![\\s\\S]))';
const CODE = '(`+)[^`][\\s\\S]*?\\3(?!`)';
const DISPLAYED = '\\$\\$[\\s\\S]*?\\$\\$';
const INLINE = '\\$(?=\\S)(?:\\\\[\\s\\S]|(?!\\n\\s*\\n)[^$\\\\])*?(?:\\\\\\S|[^\\s\\\\$])\\$(?!\\d)';
const ALONE = '\\\\\\\\\\$|\\\\[()[\\]\\\\$]|\\$';
const PIECES = new RegExp([FENCED, CODE, DISPLAYED, INLINE, ALONE].join('|'), 'gm');

/**
 * `markdown` with the delimiters of formulas as the renderer knows them.
 *
 * A dollar that begins no formula is one for the typesetter too, which reads what the renderer has made.
 */
export function drawable(markdown: string): string {
  return markdown.replace(PIECES, found => {
    switch (found) {
      case '\\(':
      case '\\)':
      case '\\[':
      case '\\]':
        return `\\${found}`;
      case '$':
      case '\\$':
        return '\\\\$';
      default:
        return found;
    }
  });
}

/** Whether there may be a formula in `markdown`, which costs more to draw. */
export function hasFormula(markdown: string): boolean {
  return /\$|\\[([]|\\begin\{/.test(markdown);
}

/** `code` as markdown that shows it in the colours of `language`. */
export function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(run => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}
