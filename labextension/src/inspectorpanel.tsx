/**
 * The inspector of one notebook's session, in the main area of the application.
 */
import { NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMimeRegistry, MimeModel } from '@jupyterlab/rendermime';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Message } from '@lumino/messaging';
import * as React from 'react';

import { agentIcon } from './icons';
import { Inspection } from './inspector/inspection';
import { Inspector } from './inspector/views/inspector';
import { IAround } from './inspector/views/view';
import type { IInspectorContext } from './inspectorcommand';
import { ModelSource } from './inspectorsource';
import { untrusted } from './conversation/markdown';
import { AgentModel } from './model';
import { showBeside } from './placing';

/** Show the inspector of one notebook's agent, which is closed with the notebook. */
export function openInspector({ app, rendermime, trans }: IInspectorContext, model: AgentModel): void {
  const id = `pi-notebook-inspector-${model.id}`;
  const where = { mode: 'split-right', ref: model.notebook.id } as const;
  showBeside(app.shell, id, where, () => {
    const around = { texts: trans, Markdown: markdownOf(untrusted(rendermime)) };
    return new InspectorPanel(id, model, around);
  });
}

/**
 * The inspector's views around the comm of one notebook. It asks for nothing while it is not seen.
 */
class InspectorPanel extends ReactWidget {
  constructor(id: string, model: AgentModel, around: IAround) {
    super();
    this._around = around;
    this._inspection = new Inspection(new ModelSource(model));
    this._document = model.notebook.context;
    this.id = id;
    this.addClass('jp-pi-InspectorPanel');
    this.title.icon = agentIcon;
    this.title.closable = true;
    this._name();
    this._document.pathChanged.connect(this._name, this);
    this._document.disposed.connect(this.dispose, this);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._document.pathChanged.disconnect(this._name, this);
      this._document.disposed.disconnect(this.dispose, this);
      this._inspection.dispose();
    }
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._inspection.isShown = true;
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._inspection.isShown = this.isVisible;
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._inspection.isShown = false;
  }

  protected override onCloseRequest(message: Message): void {
    super.onCloseRequest(message);
    this.dispose();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    // What is shown for the first time is not drawn yet.
    Promise.resolve(this.renderPromise)
      .then(() => this.node.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus())
      .catch(reason => console.warn('pi-notebook: the inspector was not drawn', reason));
  }

  protected override render(): React.JSX.Element {
    return <Inspector inspection={this._inspection} around={this._around} />;
  }

  private _name(): void {
    const name = this._document.path.split('/').pop() ?? '';
    this.title.label = this._around.texts.__('Context: %1', name);
  }

  private readonly _around: IAround;
  private readonly _document: NotebookPanel['context'];
  private readonly _inspection: Inspection;
}

const MARKDOWN = 'text/markdown';

/** A component that draws markdown by `rendermime`. */
function markdownOf(rendermime: IRenderMimeRegistry): IAround['Markdown'] {
  return function Markdown({ text }): React.JSX.Element {
    const host = React.useRef<HTMLDivElement>(null);
    React.useEffect(() => {
      const renderer = rendermime.createRenderer(MARKDOWN);
      host.current?.replaceChildren(renderer.node);
      renderer
        .renderModel(new MimeModel({ data: { [MARKDOWN]: text }, trusted: false }))
        .catch(reason => console.warn('pi-notebook: a summary could not be drawn', reason));
      return () => renderer.dispose();
    }, [text]);
    return <div className="jp-pi-Markdown" ref={host} />;
  };
}
