/**
 * The question whether a call may run, with all of what it would run.
 */
import * as React from 'react';

import { editsOf, linesOf } from '../conversation/edits';
import { visible } from '../kernel/message';
import { Answer } from '../model';
import { IAskMessage } from '../protocol';
import { Code } from './code';
import { CodeEditor } from './codeeditor';
import { Difference } from './difference';
import { ISurroundings } from './facts';
import { isMeant } from './meant';
import { useMemory } from './memory';

export interface IApprovalProps {
  readonly ask: IAskMessage;
  readonly around: ISurroundings;
  readonly onAnswer: (answer: Answer) => void;
}

export function Approval({ ask, around, onAnswer }: IApprovalProps): React.JSX.Element {
  const { trans } = around;
  const [code, setCode] = useMemory<string | null>(`code ${ask.request_id}`, null);
  const [reason, setReason] = useMemory(`reason ${ask.request_id}`, '');
  const isEmpty = code !== null && !code.trim();
  const allow = (scope: 'once' | 'run' | 'session'): void => {
    if (!isEmpty) {
      onAnswer({ allowed: true, scope, code });
    }
  };
  const deny = (): void => onAnswer({ allowed: false, reason });
  return (
    <div className="jp-pi-Approval" role="group" aria-label={trans.__('Permission for %1', ask.tool)}>
      <div className="jp-pi-Approval-title" role="alert">
        {trans.__('The agent asks to use %1:', ask.tool)}
      </div>
      <Given ask={ask} around={around} isEdited={code !== null} />
      {code !== null && (
        <CodeEditor
          code={code}
          around={around}
          onChange={setCode}
          onAllow={() => allow('once')}
          onEscape={() => code === ask.code && setCode(null)}
        />
      )}
      <div className="jp-pi-Approval-buttons">
        <button
          type="button"
          className="jp-pi-Button jp-mod-accept"
          disabled={isEmpty}
          onClick={event => isMeant(event) && allow('once')}
        >
          {trans.__('Allow once')}
        </button>
        <button
          type="button"
          className="jp-pi-Button"
          disabled={isEmpty}
          onClick={event => isMeant(event) && allow('run')}
        >
          {trans.__('Always in this run')}
        </button>
        <button
          type="button"
          className="jp-pi-Button"
          disabled={isEmpty}
          onClick={event => isMeant(event) && allow('session')}
        >
          {trans.__('Always in this session')}
        </button>
        {ask.code !== null && (
          <button type="button" className="jp-pi-Button" onClick={() => setCode(code === null ? ask.code : null)}>
            {code === null ? trans.__('Edit') : trans.__('Discard the edit')}
          </button>
        )}
      </div>
      <div className="jp-pi-Approval-buttons">
        <button type="button" className="jp-pi-Button jp-mod-deny" onClick={deny}>
          {trans.__('Deny')}
        </button>
        <input
          className="jp-pi-Approval-reason"
          value={reason}
          placeholder={trans.__('Reason (optional)')}
          aria-label={trans.__('Reason for denying')}
          onChange={event => setReason(event.target.value)}
          onKeyDown={event => event.key === 'Enter' && !event.nativeEvent.isComposing && deny()}
        />
      </div>
    </div>
  );
}

/** What the call was given, whole: edits as differences, code in its colours unless it is being changed. */
function Given({ ask, around, isEdited }: Omit<IApprovalProps, 'onAnswer'> & { isEdited: boolean }): React.JSX.Element {
  const { trans } = around;
  const edits = editsOf(ask.arguments);
  const rest = edits ? edits.rest : ask.arguments;
  return (
    <>
      {rest && <pre className="jp-pi-Code jp-mod-whole">{visible(rest)}</pre>}
      {ask.preview && <Difference lines={linesOf(ask.preview, trans)} label={trans.__('Change')} />}
      {edits?.edits.map((lines, place) => <Difference key={place} lines={lines} label={trans.__('Change')} />)}
      {ask.code !== null && !isEdited && (
        <Code
          code={ask.code}
          language={ask.tool === 'bash' ? 'bash' : 'python'}
          label={trans.__('Code')}
          around={around}
          isWhole
        />
      )}
    </>
  );
}
