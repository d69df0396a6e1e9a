/**
 * A long text in pieces.
 */
import { piecesOf } from '../pieces';

test.each([
  ['', 0],
  ['a', 1],
  ['a\n'.repeat(200), 1],
  ['a\n'.repeat(1000), 5],
  ['\n'.repeat(1001), 6],
  ['x'.repeat(50_000), 3],
  [`${'x'.repeat(150)}\n`.repeat(400), 4],
  [`${'x'.repeat(19_999)}😀`, 2],
  [`${'x'.repeat(30_000)}\n${'y'.repeat(15_000)}\nz`, 3]
])('no character is lost', (text, count) => {
  const pieces = piecesOf(text);
  expect(pieces.join('')).toBe(text);
  expect(pieces).toHaveLength(count);
  expect(pieces.every(piece => piece.length <= 20_000 && !/^[\uDC00-\uDFFF]/.test(piece))).toBe(true);
});

test('a piece ends with a line where one ends in it', () => {
  expect(piecesOf(`${'x'.repeat(150)}\n`.repeat(400)).every(piece => piece.endsWith('\n'))).toBe(true);
});
