/**
 * The command that opens the inspector. The inspector itself is fetched when it is first opened.
 */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { TranslationBundle } from '@jupyterlab/translation';

import { ActiveAgent } from './active';
import { agentIcon } from './icons';

const OPEN_INSPECTOR = 'pi-notebook:open-inspector';

/** What the inspector is opened with. */
export interface IInspectorContext {
  readonly app: JupyterFrontEnd;
  readonly active: ActiveAgent;
  readonly rendermime: IRenderMimeRegistry;
  readonly trans: TranslationBundle;
  readonly palette: ICommandPalette | null;
}

/** Register the command that opens the inspector of the notebook in front. */
export function addInspector(context: IInspectorContext): void {
  const { app, active, trans, palette } = context;
  app.commands.addCommand(OPEN_INSPECTOR, {
    label: trans.__('Inspect the Context of the Agent'),
    caption: trans.__('Show what the requests of the agent are made of'),
    icon: agentIcon,
    isEnabled: () => active.notebook !== null,
    describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
    execute: async () => {
      active.start();
      const { model } = active;
      // Not among the imports above, which the application waits for when it starts.
      const { openInspector } = await import('./inspectorpanel');
      if (model && !model.isDisposed) {
        openInspector(context, model);
      }
    }
  });
  active.notebookChanged.connect(() => app.commands.notifyCommandChanged(OPEN_INSPECTOR));
  palette?.addItem({ command: OPEN_INSPECTOR, category: trans.__('Agent') });
}
