/**
 * Rows of the ledger, and parts of a request: which are shown, and in which order.
 */
import { IFileRow, IPart, IVariableRow } from '../protocol';
import { holds } from './categories';

export interface ISort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** `sort` after a click on the header of `column`: the other way round, or this column upwards. */
export function sortBy(sort: ISort, column: string): ISort {
  return { column, isDescending: sort.column === column && !sort.isDescending };
}

/** The rows that hold every word of `query`, sorted; rows that are equal keep their order. */
export function arrange<T extends IFileRow | IVariableRow>(
  rows: readonly T[],
  query: string,
  { column, isDescending }: ISort
): readonly T[] {
  const words = wordsOf(query);
  const found = rows.filter(row => hasWords(Object.values(row).flat().join('\n'), words));
  const sign = isDescending ? -1 : 1;
  return found.sort((a, b) => sign * compare(a[column as keyof T], b[column as keyof T]));
}

/** The parts of `category`, or of all, that hold every word of `query`. */
export function arrangeParts(
  parts: readonly IPart[],
  filter: { readonly category: string; readonly query: string; readonly order: 'largest' | 'sent' }
): readonly IPart[] {
  const words = wordsOf(filter.query);
  const found = parts.filter(
    part => (!filter.category || holds(part.category, filter.category)) && hasWords(part.label, words)
  );
  return filter.order === 'largest' ? found.sort((a, b) => b.tokens - a.tokens) : found;
}

function wordsOf(query: string): readonly string[] {
  return query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
}

function hasWords(text: string, words: readonly string[]): boolean {
  const lower = words.length ? text.toLocaleLowerCase() : '';
  return words.every(word => lower.includes(word));
}

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true });
}
