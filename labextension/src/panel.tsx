/**
 * The side panel `Agent`: its lifetime, and where its parts stand.
 */
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import { Message } from '@lumino/messaging';
import * as React from 'react';

import { ActiveAgent } from './active';
import { Absence } from './components/absence';
import { Approval } from './components/approval';
import { Composer } from './components/composer';
import { ISurroundings } from './components/facts';
import { Header } from './components/header';
import { Transcript } from './components/transcript';
import { agentIcon } from './icons';
import { untrusted } from './markdown';
import { AgentModel } from './model';
import { IAskMessage, Segment } from './protocol';

/** The panel's id in the shell; the restorer finds it by this name. */
export const PANEL_ID = 'pi-notebook-panel';

/**
 * The panel in the right area. It owns what it follows and lets go of it.
 */
export class AgentPanel extends ReactWidget {
  constructor(active: ActiveAgent, rendermime: IRenderMimeRegistry, translator: ITranslator) {
    super();
    this._active = active;
    this._around = { trans: translator.load('pi_notebook'), rendermime: untrusted(rendermime) };
    const { trans } = this._around;
    this.id = PANEL_ID;
    this.addClass('jp-pi-Panel');
    this.title.icon = agentIcon;
    this.title.caption = trans.__('Agent');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Agent'));
  }

  override dispose(): void {
    this._active.dispose();
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._active.start();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this._active.start();
    }
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.node.querySelector('textarea')?.focus();
  }

  protected override render(): React.JSX.Element {
    return <UseSignal signal={this._active.changed}>{() => this._agent(this._active.model)}</UseSignal>;
  }

  private _agent(model: AgentModel | null): React.JSX.Element {
    if (!model) {
      return <Absence connection={null} trans={this._around.trans} onRetry={() => undefined} />;
    }
    return (
      <UseSignal key={model.id} signal={model.changed}>
        {() => this._conversation(model)}
      </UseSignal>
    );
  }

  private _conversation(model: AgentModel): React.JSX.Element {
    const { connection, status, segments, isShortened, asks, modes, error } = model.state;
    const around = this._around;
    if (connection.kind !== 'ready' && !(connection.kind === 'connecting' && status)) {
      return <Absence connection={connection} trans={around.trans} onRetry={() => model.reconnect()} />;
    }
    const isRunning = status?.is_running ?? false;
    return (
      <>
        {status && <Header status={status} modes={modes} around={around} onMode={mode => model.setMode(mode)} />}
        <Transcript
          segments={withoutAsked(segments, asks)}
          isShortened={isShortened}
          isRunning={isRunning || model.pending !== ''}
          around={around}
        >
          {model.pending && (
            <>
              <div className="jp-pi-Prompt">{model.pending}</div>
              <div className="jp-pi-faint">{around.trans.__('Waiting for the kernel …')}</div>
            </>
          )}
          {asks.map(ask => (
            <Approval
              key={ask.request_id}
              ask={ask}
              around={around}
              onAnswer={answer => model.approve(ask, answer)}
            />
          ))}
        </Transcript>
        {error && (
          <div className="jp-pi-Error" role="alert">
            {error}
          </div>
        )}
        <Composer
          draft={model.draft}
          isReady={connection.kind === 'ready'}
          isRunning={isRunning}
          around={around}
          onChange={text => (model.draft = text)}
          onSend={() => model.prompt()}
          onStop={() => model.stop()}
        />
      </>
    );
  }

  private readonly _active: ActiveAgent;
  private readonly _around: ISurroundings;
}

/** The segments without a call that is being asked about, which the question shows whole. */
function withoutAsked(segments: readonly Segment[], asks: readonly IAskMessage[]): readonly Segment[] {
  const tools = asks.map(ask => ask.tool);
  const isAsked = (segment: Segment): boolean =>
    segment.type === 'call' && segment.state === 'running' && !segment.output && tools.includes(segment.tool);
  return asks.length ? segments.filter(segment => !isAsked(segment)) : segments;
}
