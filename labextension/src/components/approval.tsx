/**
 * The question whether a call may run, with all of what it would run.
 */
import * as React from 'react';

import { visible } from '../message';
import { Answer } from '../model';
import { IAskMessage } from '../protocol';
import { ISurroundings } from './facts';

export interface IApprovalProps {
  readonly ask: IAskMessage;
  readonly around: ISurroundings;
  readonly onAnswer: (answer: Answer) => void;
}

export function Approval({ ask, around, onAnswer }: IApprovalProps): React.JSX.Element {
  const { trans } = around;
  const [code, setCode] = React.useState<string | null>(null);
  const [reason, setReason] = React.useState('');
  const allow = (scope: 'once' | 'run' | 'session'): void => onAnswer({ allowed: true, scope, code });
  return (
    <div className="jp-pi-Approval" role="group" aria-label={trans.__('Permission for %1', ask.tool)}>
      <div className="jp-pi-Approval-title" role="alert">
        {trans.__('The agent asks to use %1:', ask.tool)}
      </div>
      {ask.arguments && <pre className="jp-pi-Code">{visible(ask.arguments)}</pre>}
      {ask.code !== null && code === null && (
        <pre className="jp-pi-Code jp-mod-whole" tabIndex={0} aria-label={trans.__('Code')}>
          {visible(ask.code)}
        </pre>
      )}
      {code !== null && (
        <textarea
          className="jp-pi-Approval-edit"
          aria-label={trans.__('Code to run instead')}
          rows={Math.min(16, code.split('\n').length + 1)}
          value={code}
          spellCheck={false}
          onChange={event => setCode(event.target.value)}
        />
      )}
      <div className="jp-pi-Approval-buttons">
        <button className="jp-pi-Button jp-mod-accept" onClick={() => allow('once')}>
          {trans.__('Allow once')}
        </button>
        <button className="jp-pi-Button" onClick={() => allow('run')}>
          {trans.__('Always in this run')}
        </button>
        <button className="jp-pi-Button" onClick={() => allow('session')}>
          {trans.__('Always in this session')}
        </button>
        {ask.code !== null && code === null && (
          <button className="jp-pi-Button" onClick={() => setCode(ask.code)}>
            {trans.__('Edit')}
          </button>
        )}
      </div>
      <div className="jp-pi-Approval-buttons">
        <button className="jp-pi-Button jp-mod-deny" onClick={() => onAnswer({ allowed: false, reason })}>
          {trans.__('Deny')}
        </button>
        <input
          className="jp-pi-Approval-reason"
          value={reason}
          placeholder={trans.__('Reason (optional)')}
          aria-label={trans.__('Reason for denying')}
          onChange={event => setReason(event.target.value)}
        />
      </div>
    </div>
  );
}
