/**
 * Why there is no agent to talk to, and what to do.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Connection } from '../conversation/reduce';
import { marked } from '../marked';

export interface IAbsenceProps {
  readonly connection: Connection | null;
  readonly trans: TranslationBundle;
  readonly onRetry: () => void;
}

const RETRIED: readonly Connection['kind'][] = ['lost', 'closed', 'not-installed', 'failed', 'other-version'];

/** One sentence in place of the conversation; `connection` is `null` when no notebook is open. */
export function Absence({ connection, trans, onRetry }: IAbsenceProps): React.JSX.Element {
  const canRetry = connection !== null && RETRIED.includes(connection.kind);
  return (
    <div className="jp-pi-Absence" role="status">
      <p>
        {connection
          ? marked(sentence(connection, trans))
          : trans.__('Open a notebook to talk to the agent in its kernel.')}
      </p>
      {canRetry && (
        <button className="jp-pi-Button" onClick={onRetry}>
          {trans.__('Try again')}
        </button>
      )}
    </div>
  );
}

// What stands after a per cent sign is an argument, since in a translated text it is a placeholder.
function sentence(connection: Connection, trans: TranslationBundle): string {
  switch (connection.kind) {
    case 'no-kernel':
      return trans.__('This notebook has no kernel: choose a Python kernel, in which the agent then works.');
    case 'connecting':
      return trans.__('Waiting for the kernel …');
    case 'lost':
      return trans.__(
        'The connection to the kernel is lost. The kernel goes on without it; what it does is shown here once the connection is back.'
      );
    case 'restarting':
      return trans.__('The kernel is restarting …');
    case 'dead':
      return trans.__('The kernel has died: restart it to go on. The session is kept; `%1` continues it.', '%agent resume');
    case 'wrong-language':
      return trans.__(
        'The agent works in Python and this kernel runs %1: choose a Python kernel for this notebook.',
        connection.language
      );
    case 'not-installed':
      return trans.__('pi-notebook is not installed in this kernel: run `%1`.', '%pip install pi-notebook');
    case 'other-version':
      return connection.isNewer
        ? trans.__(
            'This kernel has pi-notebook %1, which is newer than this panel: update it where Jupyter itself is installed (`%2`), and load this page again.',
            connection.version,
            'pip install --upgrade pi-notebook'
          )
        : trans.__(
            'This kernel has pi-notebook %1, which is older than this panel: run `%2` in it, and restart it.',
            connection.version,
            '%pip install --upgrade pi-notebook'
          );
    case 'closed':
      return trans.__('The kernel has let this panel go: try again, or restart the kernel.');
    case 'failed':
      return trans.__('pi-notebook could not be loaded in this kernel: %1', connection.detail);
    case 'ready':
      return '';
  }
}
