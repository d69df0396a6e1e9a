/**
 * The cells of a notebook as they go with a prompt.
 */
import { Cell, CodeCell } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';

import { INamedCell } from './completions';
import { IAttachedCell } from './protocol';

/** Of one cell's output; its beginning and its end are given. */
const MAX_OUTPUT_CHARS = 20_000;

// Colours and the like of a terminal, which say nothing to a model.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** An output as far as it has text. */
export interface IOutput {
  readonly output_type: string;
  readonly text?: string | readonly string[];
  readonly ename?: string;
  readonly evalue?: string;
  readonly traceback?: readonly string[];
  readonly data?: { readonly [mimeType: string]: unknown };
}

/** What `outputs` say as text, within bounds. */
export function outputText(outputs: readonly IOutput[]): string {
  return shortened(outputs.map(textOf).filter(Boolean).join('\n').replace(ESCAPES, '').trimEnd());
}

/** The cells that are selected, the active one at least. */
export function selectedCells(notebook: Notebook): readonly IAttachedCell[] {
  return notebook.widgets.filter(cell => notebook.isSelectedOrActive(cell)).map(cell => attached(notebook, cell));
}

/** The cell of that id, or `null` when it is gone. */
export function cellOf(notebook: Notebook, cellId: string): IAttachedCell | null {
  const cell = notebook.widgets.find(other => other.model.id === cellId);
  return cell ? attached(notebook, cell) : null;
}

/** All code cells, to be named in a prompt. */
export function namedCells(notebook: Notebook): readonly INamedCell[] {
  return notebook.widgets.flatMap((cell, index) =>
    cell instanceof CodeCell
      ? [
          {
            cellId: cell.model.id,
            index,
            executionCount: cell.model.executionCount,
            source: cell.model.sharedModel.getSource()
          }
        ]
      : []
  );
}

function attached(notebook: Notebook, cell: Cell): IAttachedCell {
  return {
    cell_id: cell.model.id,
    index: notebook.widgets.indexOf(cell),
    source: cell.model.sharedModel.getSource(),
    output: cell instanceof CodeCell ? outputText(cell.model.outputs.toJSON() as unknown as IOutput[]) : ''
  };
}

function textOf(output: IOutput): string {
  switch (output.output_type) {
    case 'stream':
      return joined(output.text);
    case 'error':
      return output.traceback?.length ? output.traceback.join('\n') : `${output.ename}: ${output.evalue}`;
    default:
      return joined(output.data?.['text/plain'] ?? output.data?.['text/markdown']);
  }
}

/** Text as notebooks keep it, whole or in lines. */
function joined(text: unknown): string {
  return Array.isArray(text) ? text.join('') : typeof text === 'string' ? text : '';
}

function shortened(text: string): string {
  if (text.length <= MAX_OUTPUT_CHARS) {
    return text;
  }
  const half = MAX_OUTPUT_CHARS / 2;
  return `${text.slice(0, half)}\n… ${text.length - MAX_OUTPUT_CHARS} characters left out …\n${text.slice(-half)}`;
}
