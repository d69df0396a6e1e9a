/**
 * The cells of a notebook as they go with a prompt.
 */
import { Cell, CodeCell } from '@jupyterlab/cells';
import { Notebook } from '@jupyterlab/notebook';

import { INamedCell } from './completions';
import { IOutput, outputText } from '../notebook/outputs';
import { IAttachedCell } from '../protocol';

/** The cells that are selected, the active one at least. */
export function selectedCells(notebook: Notebook): readonly IAttachedCell[] {
  return notebook.widgets.filter(cell => notebook.isSelectedOrActive(cell)).map(cell => attached(notebook, cell));
}

/** The cell of that id alone; none when it is gone. */
export function cellsOf(notebook: Notebook, cellId: string): readonly IAttachedCell[] {
  return notebook.widgets.filter(cell => cell.model.id === cellId).map(cell => attached(notebook, cell));
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
