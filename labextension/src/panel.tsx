/**
 * The side panel `Agent`: its lifetime, and how it comes to what it shows.
 */
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import { Message } from '@lumino/messaging';
import * as React from 'react';

import { ActiveAgent } from './active';
import type { AgentView, IAgentViewProps } from './agentview';
import { agentIcon } from './icons';
import { untrusted } from './conversation/markdown';
import { keepFocus } from './keptfocus';
import { ISettings } from './settings';

/** The panel's id in the shell; the restorer finds it by this name. */
export const PANEL_ID = 'pi-notebook-panel';

const PROMPT = '.jp-pi-Composer-input';
const SEARCH = '.jp-pi-Sessions input[type=search]';

/** What is gone on with where a part of it is done. */
const NEAR = 'li, ul, .jp-pi-Turn';

/** What the panel is made of. */
export interface IPanelOptions {
  readonly active: ActiveAgent;
  readonly rendermime: IRenderMimeRegistry;
  readonly translator: ITranslator;
  readonly settings: ISettings;
  readonly execute: IAgentViewProps['execute'];
}

/**
 * The panel in one of the side areas. It owns what it follows and lets go of it.
 */
export class AgentPanel extends ReactWidget {
  constructor({ active, rendermime, translator, settings, execute }: IPanelOptions) {
    super();
    this._active = active;
    const trans = translator.load('pi_notebook');
    this._shown = {
      active,
      settings,
      around: { trans, rendermime: untrusted(rendermime) },
      execute,
      onActivate: () => this.activate()
    };
    this.id = PANEL_ID;
    this.addClass('jp-pi-Panel');
    this.title.icon = agentIcon;
    this.title.caption = trans.__('Agent');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Agent'));
    this._letFocusGo = keepFocus(this.node, `${PROMPT}:enabled, ${SEARCH}`, NEAR);
  }

  override dispose(): void {
    this._awaited?.disconnect();
    this._letFocusGo();
    this._active.dispose();
    super.dispose();
  }

  /** Give the focus to the prompt once it can take it, unless the person has gone elsewhere by then. */
  focusPrompt(): void {
    const before = document.activeElement;
    const isHere = (): boolean =>
      [before, document.body].includes(document.activeElement) || this.node.contains(document.activeElement);
    this._awaited?.disconnect();
    this._awaited = new MutationObserver(() => this._focusIf(isHere));
    this._awaited.observe(this.node, { subtree: true, childList: true, attributeFilter: ['disabled'] });
    this._focusIf(isHere);
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._start();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this._start();
    }
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.node.querySelector<HTMLElement>(PROMPT)?.focus();
  }

  protected override render(): React.JSX.Element | null {
    const { trans } = this._shown.around;
    if (this._view) {
      return <this._view {...this._shown} />;
    }
    return this._hasFailed ? (
      <div className="jp-pi-Absence" role="alert">
        <p>
          {trans.__(
            'The server did not send this panel. Try again when it runs; if that does not help, load the page again.'
          )}
        </p>
        <button className="jp-pi-Button" onClick={() => this._start()}>
          {trans.__('Try again')}
        </button>
      </div>
    ) : null;
  }

  private _focusIf(isHere: () => boolean): void {
    const box = this.node.querySelector<HTMLElement>(`${PROMPT}:enabled`);
    if (box) {
      this._awaited?.disconnect();
      if (isHere()) {
        box.focus();
      }
    }
  }

  private _start(): void {
    this._active.start();
    if (!this._view) {
      // Not among the imports above: the application waits for all of those when it starts, and most pages
      // are left without the panel having been seen.
      import('./agentview')
        .then(({ AgentView }) => (this._view = AgentView))
        .catch(reason => {
          this._hasFailed = true;
          console.warn('pi-notebook: the panel was not fetched', reason);
        })
        .finally(() => !this.isDisposed && this.update());
    }
  }

  private readonly _active: ActiveAgent;
  private _awaited: MutationObserver | null = null;
  private _hasFailed = false;
  private readonly _letFocusGo: () => void;
  private readonly _shown: IAgentViewProps;
  private _view: typeof AgentView | null = null;
}
