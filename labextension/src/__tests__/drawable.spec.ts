/**
 * Markdown of a model for the renderer of the application.
 */
import { drawable, fenced, hasFormula } from '../drawable';

test('delimiters of formulas are doubled outside of code', () => {
  expect(drawable('so \\(a\\) and \\[b\\]')).toBe('so \\\\(a\\\\) and \\\\[b\\\\]');
});

test.each(['`\\(a\\)`', '``x ` \\(a\\)``', '```r\n\\(a\\)\n```\n', '```\n\\(open', 'a \\\\(b', '$\\alpha$'])('%j stays', text => {
  expect(drawable(text)).toBe(text);
});

test('formulas around code are found', () => {
  expect(drawable('\\(a\\)\n```\n\\(b\\)\n```\n\\(c\\) `\\(d\\)`')).toBe('\\\\(a\\\\)\n```\n\\(b\\)\n```\n\\\\(c\\\\) `\\(d\\)`');
});

test('a diagram is its text', () => {
  expect(drawable('```mermaid\ngraph TD\n```')).toBe('```text\ngraph TD\n```');
});

test('what may be a formula is typeset', () => {
  expect(hasFormula('plain')).toBe(false);
  expect(['$x$', '\\(x\\)', '\\[x\\]', '\\begin{align}'].every(hasFormula)).toBe(true);
});

test('code with fences in it has a longer fence', () => {
  expect(fenced('a\n```\nb', 'python')).toBe('````python\na\n```\nb\n````');
});
