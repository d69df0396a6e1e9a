/**
 * Markdown as a model writes it, made into what the renderer of the application reads.
 *
 * Formulas between `\( \)` and `\[ \]` are no markdown: without help their backslashes are lost.
 */

// Code, in which nothing is a formula, and the delimiters outside of it.
const CODE_OR_DELIMITER = /^( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n\1?\2[`~]*[ \t]*$|$(?![\s\S]))|(`+)[^`][\s\S]*?\3(?!`)|\\[()[\]]|\\\\/gm;

// Its pictures would be taken out afterwards: what is left of a diagram is its text.
const DIAGRAM = /^( {0,3}(?:`{3,}|~{3,}) *)mermaid\b/gm;

/** `markdown` with the delimiters of formulas as the renderer knows them, and diagrams as text. */
export function drawable(markdown: string): string {
  return markdown
    .replace(DIAGRAM, '$1text')
    .replace(CODE_OR_DELIMITER, found => (/^\\[()[\]]$/.test(found) ? `\\${found}` : found));
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
