/**
 * The cells of a notebook as they go with a prompt.
 */
import { Cell, CodeCell } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';

import { INamedCell } from './completions';
import { IOutput, outputPictures, outputText } from '../notebook/outputs';
import { IAttachedCell } from '../protocol';

/** The cells that are selected, the active one at least. */
export function selectedCells(notebook: Notebook): readonly IAttachedCell[] {
  return notebook.widgets.filter(cell => notebook.isSelectedOrActive(cell)).map(cell => attached(notebook, cell));
}

/** The cell of that id alone; none when it is gone. */
export function cellsOf(notebook: Notebook, cellId: string): readonly IAttachedCell[] {
  return notebook.widgets.filter(cell => cell.model.id === cellId).map(cell => attached(notebook, cell));
}

/** What a cell put out, without the cell. */
export interface IAttachedOutput {
  /** Without its source. */
  readonly cell: IAttachedCell;
  readonly pictures: readonly Blob[];
}

/** The output of the cell of that id; `null` where it has none. */
export function outputOf(notebook: Notebook, cellId: string): IAttachedOutput | null {
  const cell = notebook.widgets.find(one => one.model.id === cellId);
  if (!(cell instanceof CodeCell) || cell.model.outputs.length === 0) {
    return null;
  }
  return { cell: { ...attached(notebook, cell), source: '' }, pictures: outputPictures(outputsOf(cell)) };
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
    output: cell instanceof CodeCell ? outputText(outputsOf(cell)) : ''
  };
}

function outputsOf(cell: CodeCell): readonly IOutput[] {
  return cell.model.outputs.toJSON() as unknown as IOutput[];
}
