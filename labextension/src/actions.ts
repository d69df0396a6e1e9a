/**
 * What the person can do in the conversation of one notebook's agent.
 */
import { Notification } from '@jupyterlab/apputils';

import type { IAgentViewProps } from './agentview';
import { IActions } from './components/facts';
import { said } from './kernel/said';
import { AgentModel } from './model';

/** How long it is shown that something was done. */
const TOLD_MS = 5000;

export function actionsOf(model: AgentModel, { around: { trans }, execute }: Pick<IAgentViewProps, 'around' | 'execute'>): IActions {
  const fork = (entryId: string, draft: string): void => {
    model
      .ask({ type: 'fork_session', entry_id: entryId })
      .then(() => draft && model.draft.write(draft))
      .catch((reason: Error) => Notification.error(said(reason.message, trans)));
  };
  return {
    onInsertCell: code => model.insertCell(code),
    onFork: entryId => fork(entryId, ''),
    onForkAfter: segment_id =>
      void model
        .ask({ type: 'fork_after', segment_id })
        .then(({ text }) => Notification.success(said(text, trans), { autoClose: TOLD_MS }))
        .catch((reason: Error) => Notification.error(said(reason.message, trans))),
    onEdit: fork,
    onOutput: segmentId => model.ask({ type: 'output', segment_id: segmentId }),
    onOutputTab: ({ id, tool }) => execute('open-output', { segment_id: id, tool }),
    onEarlier: () => model.earlier(),
    outputsOf: call => model.outputsOf(call)
  };
}
