/**
 * Joining the panel to the application it runs in: JupyterLab, or Notebook 7.
 */
import { ILayoutRestorer, JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { addCommands } from './commands';
import { ActiveNotebook } from './notebook';
import { AgentPanel, PANEL_ID } from './panel';

/** Behind the property inspector and the debugger, which come with JupyterLab. */
const RANK = 900;

export const panel: JupyterFrontEndPlugin<void> = {
  id: 'pi-notebook:panel',
  description: 'The side panel of the agent that lives in the kernel.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ILayoutRestorer, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    const language = translator ?? nullTranslator;
    const agentPanel = new AgentPanel(new ActiveNotebook(tracker), language);
    app.shell.add(agentPanel, 'right', { rank: RANK });
    restorer?.add(agentPanel, PANEL_ID);
    addCommands(app, agentPanel, language, palette);
  }
};
