/**
 * The buttons of the code in an answer.
 */
import { addBelowIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { createPortal } from 'react-dom';

import { IActions, ISurroundings } from './facts';
import { CopyButton, IconButton } from './iconbutton';

const PYTHON = ['', 'ipython', 'ipython3', 'py', 'python', 'python3'];

/** Code that was drawn, and the node for its buttons. */
export interface ICodePlace {
  readonly node: HTMLElement;
  readonly code: string;
  readonly language: string;
}

/** The places of the code below `host`, which are made there. */
export function codePlaces(host: HTMLElement): readonly ICodePlace[] {
  return [...host.querySelectorAll('pre')].map(pre => {
    const frame = document.createElement('div');
    frame.className = 'jp-pi-CodeBlock';
    pre.replaceWith(frame);
    const node = document.createElement('div');
    node.className = 'jp-pi-CodeBlock-tools';
    frame.append(pre, node);
    pre.tabIndex = 0;
    const code = (pre.textContent ?? '').replace(/\n$/, '');
    return { node, code, language: /\blanguage-(\S+)/.exec(pre.querySelector('code')?.className ?? '')?.[1] ?? '' };
  });
}

export interface ICodeToolsProps {
  readonly places: readonly ICodePlace[];
  readonly around: ISurroundings;
  readonly actions: IActions;
}

export function CodeTools({ places, around, actions }: ICodeToolsProps): React.JSX.Element {
  const { trans } = around;
  const tools = ({ code, language }: ICodePlace): React.JSX.Element => (
    <>
      <CopyButton text={code} label={trans.__('Copy code')} around={around} />
      {PYTHON.includes(language) && (
        <IconButton icon={addBelowIcon} label={trans.__('Insert as cell')} onClick={() => actions.onInsertCell(code)} />
      )}
    </>
  );
  return <>{places.map(place => createPortal(tools(place), place.node))}</>;
}
