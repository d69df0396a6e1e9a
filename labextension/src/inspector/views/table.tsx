/**
 * A table that every column header sorts.
 */
import * as React from 'react';

import { count } from '../amounts';
import { Table } from '../state';
import { IView } from './view';

const MAX_ROWS = 500;

export interface IColumn<T> {
  /** The field that the column is sorted by. */
  readonly name: keyof T & string;
  readonly label: string;
  readonly isNumber?: boolean;
  readonly isCode?: boolean;
  /** Words that may be many. */
  readonly isText?: boolean;
  readonly cell: (row: T) => React.ReactNode;
}

export interface ITableProps<T> extends IView {
  readonly table: Table;
  readonly title: string;
  readonly columns: readonly IColumn<T>[];
  /** Those to show, in order. */
  readonly rows: readonly T[];
  /** How many can be filtered: of very many the newest. */
  readonly known: number;
  /** How many there are in all. */
  readonly total: number;
  readonly absence: string;
}

export function SortedTable<T>(props: ITableProps<T>): React.JSX.Element {
  const { title, columns, rows, known, total, absence, around } = props;
  const { texts } = around;
  const shown = rows.slice(0, MAX_ROWS);
  return (
    <section className="jp-pi-Ledger">
      <h3>
        {title} <span className="jp-pi-Inspector-faint">{texts.__('%1 of %2', count(rows.length), count(total))}</span>
      </h3>
      {total === 0 && <p className="jp-pi-Inspector-faint">{absence}</p>}
      {total > 0 && (
        <div className="jp-pi-Inspector-wide">
          <table className="jp-pi-Table" aria-label={title}>
            <thead>
              <tr>
                {columns.map(column => (
                  <Header key={column.name} {...props} column={column} />
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((row, index) => (
                <tr key={index}>
                  {columns.map(column => (
                    <td key={column.name} className={classOf(column)}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {known < total && (
        <p className="jp-pi-Inspector-faint">{texts.__('Only the newest %1 are looked through.', count(known))}</p>
      )}
      {rows.length > MAX_ROWS && (
        <p className="jp-pi-Inspector-faint">
          {texts.__('The first %1 are shown: filter to see others.', count(MAX_ROWS))}
        </p>
      )}
    </section>
  );
}

function Header<T>({ state, send, table, column }: ITableProps<T> & { readonly column: IColumn<T> }): React.JSX.Element {
  const sort = state.sorts[table];
  const isSorted = sort.column === column.name;
  return (
    <th
      scope="col"
      className={column.isNumber ? 'jp-mod-number' : ''}
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button type="button" onClick={() => send({ type: 'sort', table, column: column.name })}>
        {column.label}
        <span aria-hidden="true">{isSorted ? (sort.isDescending ? ' ▾' : ' ▴') : ''}</span>
      </button>
    </th>
  );
}

function classOf<T>({ isNumber, isCode, isText }: IColumn<T>): string {
  return isNumber ? 'jp-mod-number' : isCode ? 'jp-mod-code' : isText ? 'jp-mod-text' : '';
}
