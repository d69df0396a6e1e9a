/**
 * The files and variables that were touched.
 */
import * as React from 'react';

import { IFileRow, IVariableRow } from '../../protocol';
import { ITexts } from '../../texts';
import { count, moment, wholeMoment } from '../amounts';
import { arrange } from '../rows';
import { Table } from '../state';
import { answerTo, ledgerOf } from '../wanted';
import { deedOf, stateName, whoName } from '../words';
import { Waiting } from './composition';
import { IColumn, SortedTable } from './table';
import { IView } from './view';

export function Ledger(view: IView): React.JSX.Element {
  const { state, around, send } = view;
  const { texts } = around;
  const ledger = ledgerOf(state);
  if (!ledger) {
    return <Waiting view={view} isFailed={answerTo(state, { type: 'inspect_ledger' }).error !== ''} />;
  }
  const rows = <T extends IFileRow | IVariableRow>(table: Table, all: readonly T[]): readonly T[] =>
    arrange(all, state.ledgerQuery, state.sorts[table]);
  return (
    <>
      <div className="jp-pi-Inspector-row jp-pi-Inspector-filter">
        <input
          type="search"
          value={state.ledgerQuery}
          placeholder={texts.__('Filter files and variables')}
          aria-label={texts.__('Filter files and variables')}
          onChange={event => send({ type: 'search_ledger', query: event.target.value })}
        />
      </div>
      <SortedTable
        {...view}
        table="files"
        title={texts.__('Files')}
        columns={fileColumns(texts)}
        rows={rows('files', ledger.files)}
        known={ledger.files.length}
        total={ledger.file_count}
        absence={texts.__('No file was touched yet.')}
      />
      <SortedTable
        {...view}
        table="variables"
        title={texts.__('Variables')}
        columns={variableColumns(texts)}
        rows={rows('variables', ledger.variables)}
        known={ledger.variables.length}
        total={ledger.variable_count}
        absence={texts.__('No variable was made yet.')}
      />
    </>
  );
}

function fileColumns(texts: ITexts): readonly IColumn<IFileRow>[] {
  return [
    { name: 'path', label: texts.__('Path'), isCode: true, cell: row => row.path },
    { name: 'reads', label: texts.__('Read'), isNumber: true, cell: row => times(row.reads) },
    { name: 'writes', label: texts.__('Written'), isNumber: true, cell: row => times(row.writes) },
    { name: 'modifications', label: texts.__('Modified'), isNumber: true, cell: row => times(row.modifications) },
    { name: 'last', label: texts.__('Last'), isText: true, cell: row => deedOf(row, texts) },
    { name: 'by', label: texts.__('By'), cell: row => row.by.map(one => whoName(one, texts)).join(', ') },
    { name: 'time', label: texts.__('When'), cell: row => <Moment time={row.time} /> }
  ];
}

function variableColumns(texts: ITexts): readonly IColumn<IVariableRow>[] {
  return [
    { name: 'name', label: texts.__('Name'), isCode: true, cell: row => row.name },
    { name: 'kind', label: texts.__('Type'), isText: true, cell: row => row.kind },
    { name: 'shape', label: texts.__('Shape'), isText: true, cell: row => row.shape },
    { name: 'state', label: texts.__('State'), cell: row => <State state={row.state} texts={texts} /> },
    { name: 'spill', label: texts.__('Copy'), isCode: true, cell: row => row.spill },
    { name: 'by', label: texts.__('By'), cell: row => whoName(row.by, texts) },
    { name: 'time', label: texts.__('When'), cell: row => <Moment time={row.time} /> }
  ];
}

/** Nothing where it never happened, so that what did is seen. */
function times(value: number): string {
  return value ? count(value) : '';
}

function Moment({ time }: { readonly time: number }): React.JSX.Element | null {
  return time ? (
    <time dateTime={new Date(1000 * time).toISOString()} title={wholeMoment(time)}>
      {moment(time)}
    </time>
  ) : null;
}

function State({ state, texts }: { readonly state: IVariableRow['state']; readonly texts: ITexts }): React.JSX.Element {
  return <span className={`jp-pi-Inspector-tag jp-mod-${state}`}>{stateName(state, texts)}</span>;
}
