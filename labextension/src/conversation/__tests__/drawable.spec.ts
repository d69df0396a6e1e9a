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

test.each([
  'it cost $5 in May and $6 in June',
  'US$5 or US$6, $7-$8',
  'a $ b $',
  '| $5 | $6 |',
  'escaped: \\$5 and \\$6'
])('money stays money: %j', text => {
  expect(drawable(text)).toBe(text.replace(/\\?\$/g, '\\\\$$'));
});

test.each(['$x$', '$a + b$ and $c$', '$\\{a\\}$', '$$\nx $ y\n$$', 'is $5x$, no?', '`$5` and `$6`', '\\\\$5'])(
  'a formula, code and what is escaped stay: %j',
  text => {
    expect(drawable(text)).toBe(text);
  }
);

test('what may be a formula is typeset', () => {
  expect(hasFormula('plain')).toBe(false);
  expect(['$x$', '\\(x\\)', '\\[x\\]', '\\begin{align}'].every(hasFormula)).toBe(true);
});

test('code with fences in it has a longer fence', () => {
  expect(fenced('a\n```\nb', 'python')).toBe('````python\na\n```\nb\n````');
});
