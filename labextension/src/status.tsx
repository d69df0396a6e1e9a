/**
 * The status bar's word on the agent: its model, and how full its context is.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { ISignal, Signal } from '@lumino/signaling';
import * as React from 'react';

import { ActiveAgent } from './active';
import { percentOf } from './components/gauge';

/**
 * It says something once the panel has talked to a kernel; before that no kernel is touched.
 */
export class AgentStatus extends ReactWidget {
  constructor(active: ActiveAgent, trans: TranslationBundle, onOpen: () => void) {
    super();
    this._active = active;
    this._trans = trans;
    this._onOpen = onOpen;
    this.addClass('jp-pi-Status');
    active.stateChanged.connect(this._onStateChanged, this);
  }

  override dispose(): void {
    this._active.stateChanged.disconnect(this._onStateChanged, this);
    Signal.clearData(this);
    super.dispose();
  }

  /** Whether there is an agent to speak of. */
  get isKnown(): boolean {
    return this._text !== '';
  }

  /** Emitted when what it says has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  protected override render(): React.JSX.Element {
    return (
      <button className="jp-pi-Status-button" title={this._trans.__('Open the Agent Panel')} onClick={this._onOpen}>
        {this._text}
      </button>
    );
  }

  private _onStateChanged(): void {
    const status = this._active.model?.state.status;
    const percent = status ? percentOf(status.context_tokens, status.context_window) : 0;
    const text = status ? `${status.model} · ${Math.round(percent)} %` : '';
    if (text !== this._text) {
      this._text = text;
      this._changed.emit();
      this.update();
    }
  }

  private readonly _active: ActiveAgent;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _onOpen: () => void;
  private _text = '';
  private readonly _trans: TranslationBundle;
}
