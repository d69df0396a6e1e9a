/**
 * The side panel `Agent`: its lifetime, its title and what it shows of the notebook in front.
 */
import { ITranslator } from '@jupyterlab/translation';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import { agentIcon } from './icons';
import { ActiveNotebook, INotebookFacts } from './notebook';

/** The panel's id in the shell; the restorer finds it by this name. */
export const PANEL_ID = 'pi-notebook-panel';

/**
 * The panel in the right area. It owns its copy of the notebook's facts and lets go of it.
 */
export class AgentPanel extends ReactWidget {
  constructor(notebook: ActiveNotebook, translator: ITranslator) {
    super();
    this._notebook = notebook;
    this._trans = translator.load('pi_notebook');
    this.id = PANEL_ID;
    this.addClass('jp-pi-Panel');
    this.title.icon = agentIcon;
    this.title.caption = this._trans.__('Agent');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this._trans.__('Agent'));
  }

  override dispose(): void {
    this._notebook.dispose();
    super.dispose();
  }

  protected override render(): React.JSX.Element {
    return (
      <UseSignal signal={this._notebook.changed}>
        {() => (
          <>
            <h2 className="jp-pi-Panel-title">{this._trans.__('Agent')}</h2>
            {this._facts(this._notebook.facts)}
            <p className="jp-pi-Panel-hint">{this._hint()}</p>
          </>
        )}
      </UseSignal>
    );
  }

  private _facts(facts: INotebookFacts | null): React.JSX.Element {
    if (!facts) {
      return <div>{this._trans.__('No notebook is open.')}</div>;
    }
    return (
      <>
        {this._fact(this._trans.__('Notebook'), facts.name)}
        {this._fact(this._trans.__('Kernel'), facts.kernel || this._trans.__('none'))}
      </>
    );
  }

  private _fact(name: string, value: string): React.JSX.Element {
    return (
      <div className="jp-pi-Panel-fact">
        <span className="jp-pi-Panel-factName">{name}</span>
        <span>{value}</span>
      </div>
    );
  }

  private _hint(): string {
    // As arguments, since a per cent sign in a translated text is a placeholder.
    return this._trans.__(
      'Run %1 in a notebook, then ask in a cell that starts with %2. The answer appears below that cell.',
      '%load_ext pi_notebook',
      '%%agent'
    );
  }

  private readonly _notebook: ActiveNotebook;
  private readonly _trans: ReturnType<ITranslator['load']>;
}
