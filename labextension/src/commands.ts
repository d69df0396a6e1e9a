/**
 * The commands of the panel, for the palette, for shortcuts and for other extensions.
 */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator } from '@jupyterlab/translation';

import { agentIcon } from './icons';
import { AgentPanel } from './panel';

export namespace CommandIDs {
  export const openPanel = 'pi-notebook:open-panel';
}

/** Register every command, and list it in the palette where there is one. */
export function addCommands(
  app: JupyterFrontEnd,
  panel: AgentPanel,
  translator: ITranslator,
  palette: ICommandPalette | null
): void {
  const trans = translator.load('pi_notebook');
  app.commands.addCommand(CommandIDs.openPanel, {
    label: trans.__('Open the Agent Panel'),
    caption: trans.__('Show the agent of the notebook in front'),
    icon: agentIcon,
    describedBy: { args: { type: 'object', properties: {}, additionalProperties: false } },
    execute: () => app.shell.activateById(panel.id)
  });
  palette?.addItem({ command: CommandIDs.openPanel, category: trans.__('Agent') });
}
