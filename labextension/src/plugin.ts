/**
 * Joining the panel to the application it runs in: JupyterLab, or Notebook 7.
 */
import { ILayoutRestorer, JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { ActiveAgent } from './active';
import { addCommands, CommandIDs } from './commands';
import { Drafts, pageStore } from './composer/drafts';
import { ErrorButtons } from './notebook/errors';
import { StillPages } from './notebook/stillpages';
import { addInspector } from './inspectorcommand';
import { addOutputTab } from './outputcommand';
import { AgentPanel, PANEL_ID } from './panel';
import { PanelSettings } from './settings';
import { AgentStatus } from './status';

const PLUGIN_ID = 'pi-notebook:panel';

/** Behind the property inspector and the debugger, which come with JupyterLab. */
const RANK = 900;

export const panel: JupyterFrontEndPlugin<void> = {
  id: PLUGIN_ID,
  description: 'The side panel of the agent that lives in the kernel.',
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry],
  optional: [ILayoutRestorer, ICommandPalette, ITranslator, ISettingRegistry, ILauncher, IStatusBar],
  activate
};

function activate(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  rendermime: IRenderMimeRegistry,
  restorer: ILayoutRestorer | null,
  palette: ICommandPalette | null,
  maybeTranslator: ITranslator | null,
  registry: ISettingRegistry | null,
  launcher: ILauncher | null,
  statusBar: IStatusBar | null
): void {
  const translator = maybeTranslator ?? nullTranslator;
  const trans = translator.load('pi_notebook');
  const settings = new PanelSettings();
  const active = new ActiveAgent(tracker, { settings, drafts: new Drafts(pageStore()) });
  const execute = (command: string, args: ReadonlyPartialJSONObject = {}): void => {
    app.commands
      .execute(`pi-notebook:${command}`, args)
      .catch((reason: unknown) => console.warn(`pi-notebook: ${command} failed`, reason));
  };
  const agentPanel = new AgentPanel({ active, rendermime, translator, settings, execute });
  addCommands({ app, panel: agentPanel, active, trans }, palette);
  addInspector({ app, active, rendermime, trans, palette });
  addOutputTab({ app, active, trans });
  new ErrorButtons(tracker, trans, cell_id => execute('fix-error', { cell_id }));
  new StillPages(tracker, trans);
  addToSide(app, agentPanel, settings);
  restorer?.add(agentPanel, PANEL_ID);
  launcher?.add({ command: CommandIDs.openPanel, category: trans.__('Other'), rank: RANK });
  const status = new AgentStatus(active, trans, () => execute('open-panel'));
  statusBar?.registerStatusItem(PLUGIN_ID, {
    item: status,
    align: 'right',
    rank: RANK,
    isActive: () => status.isKnown,
    activeStateChanged: status.changed
  });
  registry &&
    settings.follow(registry, PLUGIN_ID, trans).catch(reason => console.warn('pi-notebook: no settings', reason));
}

/** Put the panel on the side that the settings say, now and whenever they say another. */
function addToSide(app: JupyterFrontEnd, agentPanel: AgentPanel, settings: PanelSettings): void {
  let side = settings.values.side;
  app.shell.add(agentPanel, side, { rank: RANK });
  settings.changed.connect(() => {
    if (settings.values.side !== side) {
      const isVisible = agentPanel.isVisible;
      side = settings.values.side;
      app.shell.add(agentPanel, side, { rank: RANK });
      if (isVisible) {
        app.shell.activateById(agentPanel.id);
      }
    }
  });
}
