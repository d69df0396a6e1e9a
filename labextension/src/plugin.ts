/**
 * Joining the panel to the application it runs in: JupyterLab, or Notebook 7.
 */
import { ILayoutRestorer, JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ActiveAgent } from './active';
import { addCommands } from './commands';
import { AgentPanel, PANEL_ID } from './panel';

/** Behind the property inspector and the debugger, which come with JupyterLab. */
const RANK = 900;

export const panel: JupyterFrontEndPlugin<void> = {
  id: 'pi-notebook:panel',
  description: 'The side panel of the agent that lives in the kernel.',
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry],
  optional: [ILayoutRestorer, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    rendermime: IRenderMimeRegistry,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    const language = translator ?? nullTranslator;
    const agentPanel = new AgentPanel(new ActiveAgent(tracker), rendermime, language);
    app.shell.add(agentPanel, 'right', { rank: RANK });
    restorer?.add(agentPanel, PANEL_ID);
    addCommands(app, agentPanel, language, palette);
  }
};
