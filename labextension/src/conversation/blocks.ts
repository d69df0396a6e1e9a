/**
 * Cutting a growing answer where it may be cut, so that what is complete is drawn once.
 *
 * Knows of markdown only where a block may end: code, formulas, lists and HTML hold blank lines.
 */

/** A text as the blocks that it is drawn in, which together are the text. */
export interface IBlocks {
  readonly text: string;
  readonly blocks: readonly string[];
}

export const NO_BLOCKS: IBlocks = { text: '', blocks: [] };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MATH_OPENS = /^\s*(?:\$\$|\\\[|\\begin\{)/;
const LIST_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const INDENTED = /^(?: {2,}|\t)/;
const HTML_OPENS = /^ {0,3}<(details|div|table|dl|ul|ol|blockquote)\b/i;

/** The last may grow; the one before it too, while it is not known what the last line will be. */
const OPEN_BLOCKS = 2;

/** The blocks of `text`; those of `before` are kept when it only grew. */
export function split(text: string, before: IBlocks = NO_BLOCKS): IBlocks {
  const kept = text.startsWith(before.text) ? before.blocks.slice(0, -OPEN_BLOCKS) : [];
  const from = kept.reduce((length, block) => length + block.length, 0);
  return { text, blocks: [...kept, ...cut(text.slice(from))] };
}

/** The fence that `block` begins with, when the block is code. */
export function fenceOf(block: string): string {
  return FENCE.exec(block)?.[1] ?? '';
}

/** Whether `block` is code whose end has not come. */
export function isOpenFence(block: string): boolean {
  const fence = fenceOf(block);
  return fence !== '' && !block.split('\n').slice(1).some(line => closes(line, fence));
}

function cut(text: string): string[] {
  const blocks: string[] = [];
  let block = '';
  let reader = new Reader();
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (block && reader.mayEndBefore(line)) {
      blocks.push(block);
      block = '';
      reader = new Reader();
    }
    reader.read(line);
    block += line;
  }
  return block ? [...blocks, block] : blocks;
}

function closes(line: string, fence: string): boolean {
  const found = FENCE.exec(line)?.[1];
  return found !== undefined && found.startsWith(fence) && line.trim() === found;
}

/**
 * What has been read of one block.
 */
class Reader {
  /** Whether the block may end and `line` begin the next. */
  mayEndBefore(line: string): boolean {
    if (this._fence || this._math || this._tag || line.trim() === '') {
      return false;
    }
    if (this._isFenceOver || (!this._isList && FENCE.test(line))) {
      return true;
    }
    const goesOn = this._isList && (LIST_ITEM.test(line) || INDENTED.test(line));
    return this._isBlank && !goesOn;
  }

  read(line: string): void {
    const fence = FENCE.exec(line.trimStart())?.[1];
    if (this._fence) {
      if (closes(line.trimStart(), this._fence)) {
        this._fence = '';
        this._isFenceOver = !this._isList;
      }
    } else if (fence) {
      this._fence = fence;
    } else {
      this._readText(line);
    }
    this._isBlank = line.trim() === '';
    this._isFirst = false;
  }

  private _readText(line: string): void {
    this._isList ||= this._isFirst && LIST_ITEM.test(line);
    this._tag ||= (this._isFirst && HTML_OPENS.exec(line)?.[1]) || '';
    if (this._tag && line.toLowerCase().includes(`</${this._tag.toLowerCase()}`)) {
      this._tag = '';
    }
    const opens = MATH_OPENS.exec(line)?.[0].trim();
    if (this._math) {
      this._math = line.includes(this._math) ? '' : this._math;
    } else if (opens) {
      const end = opens === '$$' ? '$$' : opens === '\\[' ? '\\]' : '\\end{';
      this._math = line.slice(line.indexOf(opens) + opens.length).includes(end) ? '' : end;
    }
  }

  private _fence = '';
  private _isBlank = false;
  private _isFenceOver = false;
  private _isFirst = true;
  private _isList = false;
  private _math = '';
  private _tag = '';
}
