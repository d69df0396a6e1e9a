/**
 * The output of one call in a tab of the main area: what the kernel has of it, part by part, never run or changed.
 */
import { NotebookPanel } from '@jupyterlab/notebook';
import { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Message } from '@lumino/messaging';
import * as React from 'react';

import { IWholeOutput, withPart, WholeOutput } from './components/wholeoutput';
import { agentIcon } from './icons';
import { keepFocus } from './keptfocus';
import { AgentModel } from './model';
import type { IOutputContext } from './outputcommand';
import { showBeside } from './placing';

const TEXT = '.jp-pi-WholeOutput-text';

/** Show the output of the call that `segmentId` shows; it is closed with the notebook. */
export function openOutput({ app, trans }: IOutputContext, model: AgentModel, segmentId: string, tool: string): void {
  const session = model.state.status?.session_id ?? '';
  const id = `pi-notebook-output-${session}-${segmentId}`;
  const where = { mode: 'tab-after', ref: model.notebook.id } as const;
  showBeside(app.shell, id, where, () => new OutputPanel(id, model, segmentId, tool, trans));
}

class OutputPanel extends ReactWidget {
  constructor(id: string, model: AgentModel, segmentId: string, tool: string, trans: TranslationBundle) {
    super();
    this._model = model;
    this._segmentId = segmentId;
    this._trans = trans;
    this.id = id;
    this.addClass('jp-pi-Panel');
    this.addClass('jp-pi-OutputPanel');
    this.title.icon = agentIcon;
    this.title.label = trans.__('Output of %1', tool);
    this.title.closable = true;
    this._file = model.notebook.context;
    this._file.disposed.connect(this.dispose, this);
    this._letFocusGo = keepFocus(this.node, TEXT);
    this._load(0);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._file.disposed.disconnect(this.dispose, this);
      this._letFocusGo();
    }
    super.dispose();
  }

  protected override onCloseRequest(message: Message): void {
    super.onCloseRequest(message);
    this.dispose();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    // What is shown for the first time is not drawn yet.
    Promise.resolve(this.renderPromise)
      .then(() => this.node.querySelector<HTMLElement>(TEXT)?.focus())
      .catch(reason => console.warn('pi-notebook: the output was not drawn', reason));
  }

  protected override render(): React.JSX.Element {
    return <WholeOutput output={this._output} trans={this._trans} onMore={() => this._load(this._output.next)} />;
  }

  private _load(offset: number): void {
    this._show({ ...this._output, isLoading: true, problem: '' });
    this._model.ask({ type: 'output', segment_id: this._segmentId, offset }).then(
      reply => this._show(withPart(this._output, reply)),
      (reason: Error) => this._show({ ...this._output, isLoading: false, problem: reason.message })
    );
  }

  private _show(output: IWholeOutput): void {
    this._output = output;
    if (!this.isDisposed) {
      this.update();
    }
  }

  private readonly _file: NotebookPanel['context'];
  private readonly _letFocusGo: () => void;
  private readonly _model: AgentModel;
  private _output: IWholeOutput = { parts: [], path: '', next: 0, isMore: false, isLoading: false, problem: '' };
  private readonly _segmentId: string;
  private readonly _trans: TranslationBundle;
}
