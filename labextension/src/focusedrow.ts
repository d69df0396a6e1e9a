/**
 * The row of a long list that has the focus. It stays in the page however far it is scrolled out of view, with those
 * beside it, to which Tab leads: what is taken out of the page loses the focus, and who uses the keyboard their place.
 */
import { defaultRangeExtractor, Range } from '@tanstack/react-virtual';
import * as React from 'react';

type Key = string | number | bigint;

export interface IFocusedRow {
  /** To be called when something in the list, whose rows have a `data-index`, gets the focus. */
  readonly onFocus: (event: React.FocusEvent) => void;
  /** The rows to draw. */
  readonly rangeExtractor: (range: Range) => number[];
}

/** `keyOf` gives what a row is known by while others come and go in front of it. */
export function useFocusedRow(keyOf: (index: number) => Key): IFocusedRow {
  const current = React.useRef(keyOf);
  current.current = keyOf;
  const focused = React.useRef<{ readonly row: Element; readonly key: Key; index: number } | null>(null);
  const onFocus = React.useCallback(({ target }: React.FocusEvent): void => {
    const row = target.closest('[data-index]');
    const index = Number(row?.getAttribute('data-index'));
    focused.current = row && { row, key: current.current(index), index };
  }, []);
  const rangeExtractor = React.useCallback((range: Range): number[] => {
    const indexes = defaultRangeExtractor(range);
    const found = focused.current;
    if (!found?.row.contains(found.row.ownerDocument.activeElement)) {
      return indexes;
    }
    found.index = indexOf(found.key, found.index, range.count, current.current);
    if (found.index < 0) {
      return indexes;
    }
    const near = [found.index - 1, found.index, found.index + 1].filter(index => index >= 0 && index < range.count);
    return [...new Set([...indexes, ...near])].sort((one, other) => one - other);
  }, []);
  return { onFocus, rangeExtractor };
}

/** Where the row of that key is, of `count`; it is looked for where it was `before` first. */
function indexOf(key: Key, before: number, count: number, keyOf: (index: number) => Key): number {
  if (before >= 0 && before < count && keyOf(before) === key) {
    return before;
  }
  for (let index = 0; index < count; index++) {
    if (keyOf(index) === key) {
      return index;
    }
  }
  return -1;
}
