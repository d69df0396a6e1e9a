/**
 * A button below each error of a cell, which asks the agent to mend it.
 *
 * It is drawn beside the outputs, not among them: it is in no file and in no copy of an output.
 */
import { CodeCell } from '@jupyterlab/cells';
import { IOutput } from '@jupyterlab/nbformat';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';

import { agentIcon } from '../icons';

const CLASS = 'jp-pi-FixError';

/**
 * The buttons in every notebook of `tracker`.
 */
export class ErrorButtons implements IDisposable {
  constructor(tracker: INotebookTracker, trans: TranslationBundle, onFix: (cellId: string) => void) {
    this._tracker = tracker;
    this._trans = trans;
    this._onFix = onFix;
    tracker.forEach(panel => this._follow(tracker, panel));
    tracker.widgetAdded.connect(this._follow, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._tracker.widgetAdded.disconnect(this._follow, this);
    this._tracker.forEach(panel => {
      panel.content.modelContentChanged.disconnect(this._look, this);
      panel.content.widgets.forEach(cell => cell.node.querySelector(`.${CLASS}`)?.remove());
    });
  }

  private _follow(_: unknown, panel: NotebookPanel): void {
    panel.content.modelContentChanged.connect(this._look, this);
    panel.context.ready.then(() => this._look(panel.content)).catch(() => undefined);
  }

  /** Put a button where there is an error, and take those away that have none any more; once a frame. */
  private _look(notebook: NotebookPanel['content']): void {
    if (this._isDisposed || this._due.has(notebook)) {
      return;
    }
    this._due.add(notebook);
    requestAnimationFrame(() => {
      this._due.delete(notebook);
      if (!this._isDisposed && !notebook.isDisposed) {
        notebook.widgets.forEach(cell => cell instanceof CodeCell && this._mend(cell));
      }
    });
  }

  private _mend(cell: CodeCell): void {
    const button = cell.outputArea.node.querySelector(`:scope > .${CLASS}`);
    const isDue = hasError(cell);
    if (isDue && !button) {
      cell.outputArea.node.append(this._button(cell));
    } else if (!isDue) {
      button?.remove();
    }
  }

  private _button(cell: CodeCell): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = CLASS;
    // Enter and Space are the button's here, not those of the notebook's command mode.
    button.dataset.lmSuppressShortcuts = 'true';
    button.append(agentIcon.element({ tag: 'span' }), this._trans.__('Ask the agent to fix this'));
    button.addEventListener('click', () => this._onFix(cell.model.id));
    return button;
  }

  private readonly _due = new Set<NotebookPanel['content']>();
  private _isDisposed = false;
  private readonly _onFix: (cellId: string) => void;
  private readonly _tracker: INotebookTracker;
  private readonly _trans: TranslationBundle;
}

/** Whether a cell put out an error. */
export function hasError(cell: CodeCell): boolean {
  return (cell.model.sharedModel.getOutputs() as IOutput[]).some(output => output.output_type === 'error');
}
