/**
 * A long text in pieces that are quick to draw.
 */

/** Of one piece. */
const MAX_LINES = 200;
const MAX_CHARS = 20_000;

/** `text` cut into pieces, at the ends of lines where they are not too far; together they are `text`. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function endOfPiece(text: string, start: number): number {
  const most = Math.min(text.length, start + MAX_CHARS);
  const lines = text.slice(start, most).split('\n', MAX_LINES + 1);
  if (lines.length > MAX_LINES) {
    return start + lines.slice(0, MAX_LINES).join('\n').length + 1;
  }
  const newline = text.lastIndexOf('\n', most - 1);
  if (most === text.length || newline < start) {
    // Not between the halves of one character.
    return /[\uDC00-\uDFFF]/.test(text[most] ?? '') ? most - 1 : most;
  }
  return newline + 1;
}
