/**
 * Where an answer is cut while it grows.
 */
import { fenceOf, isOpenFence, NO_BLOCKS, split } from '../blocks';

const ANSWER = `# Sales

The sum is \\(a + b\\).

\`\`\`python
a = 1

b = 2
\`\`\`
After it.

1. one

2. two

   still two

- other

$$
x

= y
$$

\\[
1

+ 1
\\]

<details>
<summary>More</summary>

inside

</details>

| a | b |
|---|---|
| 1 | 2 |

The end.`;

test('an answer is cut at blank lines outside of code, lists, formulas and HTML', () => {
  expect(split(ANSWER).blocks).toEqual([
    '# Sales\n\n',
    'The sum is \\(a + b\\).\n\n',
    '```python\na = 1\n\nb = 2\n```\n',
    'After it.\n\n',
    '1. one\n\n2. two\n\n   still two\n\n- other\n\n',
    '$$\nx\n\n= y\n$$\n\n',
    '\\[\n1\n\n+ 1\n\\]\n\n',
    '<details>\n<summary>More</summary>\n\ninside\n\n</details>\n\n',
    '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
    'The end.'
  ]);
});

test.each([1, 2, 3, 7, 50])('growing by %i characters leaves complete blocks as they are', step => {
  let grown = NO_BLOCKS;
  for (let end = 0; end < ANSWER.length + step; end += step) {
    const next = split(ANSWER.slice(0, end), grown);
    expect(next.blocks.join('')).toBe(next.text);
    const complete = grown.blocks.slice(0, -2);
    expect(next.blocks.slice(0, complete.length)).toEqual(complete);
    grown = next;
  }
  expect(grown.blocks).toEqual(split(ANSWER).blocks);
});

test('another text is cut anew', () => {
  expect(split('c\n\nd', split('a\n\nb')).blocks).toEqual(['c\n\n', 'd']);
});

test('code is open until a fence as long as its own stands alone', () => {
  expect(isOpenFence('````\n```\n')).toBe(true);
  expect(isOpenFence('```python\nprint("```")\n')).toBe(true);
  expect(isOpenFence('```\nx\n```\n')).toBe(false);
  expect(isOpenFence('no code')).toBe(false);
  expect(fenceOf('~~~~ text\n')).toBe('~~~~');
});
