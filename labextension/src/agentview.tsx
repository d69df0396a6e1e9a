/**
 * What the panel shows: the agent of the notebook in front, part by part. It is fetched when the panel is first seen.
 */
import { UseSignal } from '@jupyterlab/ui-components';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import * as React from 'react';

import { actionsOf } from './actions';
import { ActiveAgent } from './active';
import { Absence } from './components/absence';
import { Approval } from './components/approval';
import { Changes } from './components/changes';
import { Composer } from './components/composer';
import { IActions, ISurroundings } from './components/facts';
import { Header } from './components/header';
import { SessionsView } from './components/sessions';
import { Transcript } from './components/transcript';
import { firstPrompt, withoutAsked } from './conversation/shown';
import { AgentModel } from './model';
import { said } from './kernel/said';
import { ISessionList } from './sessions';
import { ISettings } from './settings';

/** The commands that the view executes. */
export type PanelCommand = 'attach-cells' | 'new-session' | 'open-inspector' | 'open-output';

/** What the view works on; the same objects for as long as it is shown. */
export interface IAgentViewProps {
  readonly active: ActiveAgent;
  readonly settings: ISettings;
  readonly around: ISurroundings;
  /** Execute a command of the panel. */
  readonly execute: (command: PanelCommand, args?: ReadonlyPartialJSONObject) => void;
  /** Give the focus to what the panel shows. */
  readonly onActivate: () => void;
}

/** The agent of the notebook in front. */
export class AgentView extends React.Component<IAgentViewProps> {
  override render(): React.JSX.Element {
    return <UseSignal signal={this.props.active.changed}>{() => this._agent(this.props.active.model)}</UseSignal>;
  }

  private _agent(model: AgentModel | null): React.JSX.Element {
    if (!model) {
      return <Absence connection={null} trans={this.props.around.trans} onRetry={() => undefined} />;
    }
    return (
      <UseSignal key={model.id} signal={model.changed}>
        {() => (
          <UseSignal signal={model.sessions.changed}>{() => this._parts(model, model.sessions.list)}</UseSignal>
        )}
      </UseSignal>
    );
  }

  private _parts(model: AgentModel, list: ISessionList | null): React.JSX.Element {
    const { connection, status } = model.state;
    const absence = connection.kind !== 'ready' && (
      <Absence connection={connection} trans={this.props.around.trans} onRetry={() => model.reconnect()} />
    );
    if (absence && !status) {
      return absence;
    }
    return (
      <>
        {this._header(model, list !== null)}
        {absence}
        {list ? this._sessions(model, list) : this._conversation(model)}
      </>
    );
  }

  private _header(model: AgentModel, isListing: boolean): React.JSX.Element | null {
    const { status, modes, segments } = model.state;
    return (
      status && (
        <Header
          status={status}
          name={status.session_name || firstPrompt(segments)}
          modes={modes}
          models={model.choices.models}
          policies={model.choices.policies}
          isListing={isListing}
          around={this.props.around}
          onSessions={() => (isListing ? this._closeSessions(model) : model.sessions.open())}
          onNew={() => this.props.execute('new-session')}
          onChoices={() => model.choices.refresh()}
          onModel={name => model.tell({ type: 'set_model', model: name })}
          onMode={mode => model.tell({ type: 'set_mode', mode })}
          onPolicy={policy => model.tell({ type: 'set_policy', policy })}
          onInspect={() => this.props.execute('open-inspector')}
        />
      )
    );
  }

  private _sessions(model: AgentModel, list: ISessionList): React.JSX.Element {
    const { sessions } = model;
    return (
      <SessionsView
        list={list}
        now={Date.now() / 1000}
        around={this.props.around}
        onSearch={query => sessions.search(query)}
        onNew={() => this.props.execute('new-session')}
        onClose={() => this._closeSessions(model)}
        onOpen={id => void sessions.resume(id)}
        onRename={(id, name) => void sessions.rename(id, name)}
        onDelete={id => void sessions.remove(id)}
        onExport={(id, format) => void sessions.export(id, format)}
      />
    );
  }

  private _conversation(model: AgentModel): React.JSX.Element {
    const { segments, isShortened, asks, error, status } = model.state;
    const around = this.props.around;
    return (
      <>
        <Transcript
          key={status?.session_id}
          segments={withoutAsked(segments, asks)}
          isShortened={isShortened}
          isRunning={model.isRunning || model.pending !== ''}
          memory={model.memory}
          around={around}
          actions={this._actionsOf(model)}
        >
          {model.pending && (
            <>
              <div className="jp-pi-Prompt" dir="auto">
                {model.pending}
              </div>
              <div className="jp-pi-faint">{around.trans.__('Waiting for the kernel …')}</div>
            </>
          )}
          {model.lastSession && (
            <button className="jp-pi-Button" onClick={() => void model.act({ type: 'resume_session', session_id: model.lastSession })}>
              {around.trans.__('Go on with the last session of this notebook')}
            </button>
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
        <UseSignal signal={model.cells.changed}>
          {() => (
            <Changes
              changes={model.cells.changes}
              theirs={model.cells.theirs}
              around={around}
              onAccept={ids => model.cells.accept(ids)}
              onUndo={ids => model.cells.undo(ids)}
              onShow={id => model.showCell(id)}
            />
          )}
        </UseSignal>
        {error && (
          <div className="jp-pi-Error" role="alert">
            {said(error, around.trans)}
          </div>
        )}
        <UseSignal signal={this.props.settings.changed}>
          {() => (
            <UseSignal signal={model.draft.changed}>
              {() => <UseSignal signal={model.completions.changed}>{() => this._composer(model)}</UseSignal>}
            </UseSignal>
          )}
        </UseSignal>
      </>
    );
  }

  /** What can be done with the conversation of `model`; the same object while it is shown. */
  private _actionsOf(model: AgentModel): IActions {
    if (this._acted?.model !== model) {
      this._acted = { model, actions: actionsOf(model, this.props) };
    }
    return this._acted.actions;
  }

  private _composer(model: AgentModel): React.JSX.Element {
    const { status } = model.state;
    return (
      <Composer
        draft={model.draft}
        completions={model.completions}
        isReady={model.isReady}
        isAway={model.state.connection.kind === 'lost'}
        isRunning={model.isRunning}
        canContinue={status?.can_continue ?? false}
        queued={status?.queued ?? []}
        values={this.props.settings.values}
        around={this.props.around}
        onSend={isOther => model.prompt(isOther)}
        onStop={() => model.stop()}
        onContinue={() => model.tell({ type: 'continue' })}
        onTakeBack={() => void model.takeQueued()}
        onRecall={step => model.recall(step)}
        onAttach={() => this.props.execute('attach-cells')}
        onAttachCell={cellId => model.attachCell(cellId)}
      />
    );
  }

  private _closeSessions(model: AgentModel): void {
    model.sessions.close();
    this.props.onActivate();
  }

  private _acted: { readonly model: AgentModel; readonly actions: IActions } | null = null;
}
