/**
 * The command that opens the output of a call in a tab. The tab itself is fetched when it is first opened.
 */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { TranslationBundle } from '@jupyterlab/translation';

import { ActiveAgent } from './active';

const OPEN_OUTPUT = 'pi-notebook:open-output';

/** What an output is opened with. */
export interface IOutputContext {
  readonly app: JupyterFrontEnd;
  readonly active: ActiveAgent;
  readonly trans: TranslationBundle;
}

/** Register the command that opens an output of the agent of the notebook in front. */
export function addOutputTab(context: IOutputContext): void {
  const { app, active, trans } = context;
  app.commands.addCommand(OPEN_OUTPUT, {
    label: trans.__('Open the Output of a Call'),
    caption: trans.__('Show all of it in a tab'),
    describedBy: {
      args: {
        type: 'object',
        required: ['segment_id', 'tool'],
        properties: {
          segment_id: { type: 'string', description: trans.__('The call, as the panel knows it') },
          tool: { type: 'string', description: trans.__('The name of its tool') }
        },
        additionalProperties: false
      }
    },
    execute: async ({ segment_id, tool }) => {
      const { model } = active;
      // Not among the imports above, which the application waits for when it starts.
      const { openOutput } = await import('./outputpanel');
      if (model && !model.isDisposed && typeof segment_id === 'string' && typeof tool === 'string') {
        openOutput(context, model, segment_id, tool);
      }
    }
  });
}
