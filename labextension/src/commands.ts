/**
 * The commands of the panel, for the palette, for menus and shortcuts, and for other extensions.
 */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { ReadonlyJSONObject, ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { ActiveAgent } from './active';
import { agentIcon } from './icons';
import { AgentModel } from './model';
import { hasError } from './notebook/errors';
import { AgentPanel } from './panel';
import { whenReady } from './readiness';

export namespace CommandIDs {
  export const openPanel = 'pi-notebook:open-panel';
  export const focusPrompt = 'pi-notebook:focus-prompt';
  export const send = 'pi-notebook:send';
  export const stop = 'pi-notebook:stop';
  export const continueRun = 'pi-notebook:continue';
  export const newSession = 'pi-notebook:new-session';
  export const openSessions = 'pi-notebook:open-sessions';
  export const compact = 'pi-notebook:compact';
  export const attachCells = 'pi-notebook:attach-cells';
  export const attachOutput = 'pi-notebook:attach-output';
  export const fixError = 'pi-notebook:fix-error';
  export const insertCode = 'pi-notebook:insert-code';
}

/** Below what JupyterLab itself has for a cell. */
const MENU_RANK = 100;

type Arguments = ReadonlyPartialJSONObject;

/** A command before it is registered. */
interface ICommand {
  readonly id: string;
  readonly label: string;
  readonly caption: string;
  /** The schemas of its arguments, by name. */
  readonly args?: ReadonlyJSONObject;
  readonly isEnabled?: (args: Arguments) => boolean;
  /** Whether it does nothing without its arguments. */
  readonly needsArguments?: boolean;
  readonly execute: (args: Arguments) => unknown;
}

/** What the commands work on. */
export interface ICommandContext {
  readonly app: JupyterFrontEnd;
  readonly panel: AgentPanel;
  readonly active: ActiveAgent;
  readonly trans: TranslationBundle;
}

/** Register every command, and list those that need no argument in the palette where there is one. */
export function addCommands(context: ICommandContext, palette: ICommandPalette | null): void {
  const { app, active, trans } = context;
  const commands = [...panelCommands(context), ...runCommands(context), ...notebookCommands(context)];
  for (const command of commands) {
    app.commands.addCommand(command.id, optionsOf(command));
    if (!command.needsArguments) {
      palette?.addItem({ command: command.id, category: trans.__('Agent') });
    }
  }
  app.contextMenu.addItem({ command: CommandIDs.attachCells, selector: '.jp-Notebook .jp-Cell', rank: MENU_RANK });
  const outputs = '.jp-Notebook .jp-Cell-outputWrapper';
  app.contextMenu.addItem({ command: CommandIDs.attachOutput, selector: outputs, rank: MENU_RANK });
  const notify = notifier(app, commands);
  active.stateChanged.connect(notify);
  active.notebookChanged.connect(notify);
}

/** Tells the application which commands can be used now and could not before, or the reverse. */
function notifier(app: JupyterFrontEnd, commands: readonly ICommand[]): () => void {
  const were = new Map<string, boolean>();
  return () => {
    for (const { id, isEnabled } of commands) {
      const is = isEnabled?.({}) ?? true;
      if (were.get(id) !== is) {
        were.set(id, is);
        app.commands.notifyCommandChanged(id);
      }
    }
  };
}

function optionsOf({ id, label, caption, args, isEnabled, execute }: ICommand): CommandRegistry.ICommandOptions {
  return {
    label,
    caption,
    ...(id === CommandIDs.openPanel || id === CommandIDs.fixError ? { icon: agentIcon } : {}),
    ...(isEnabled ? { isEnabled } : {}),
    describedBy: { args: { type: 'object', properties: args ?? {}, additionalProperties: false } },
    execute
  };
}

/** The agent of the notebook in front, in a panel that is to be seen. */
function shownAgent({ app, panel, active }: ICommandContext): AgentModel | null {
  if (panel.isVisible) {
    // Notebook 7 would close it.
    panel.activate();
  } else {
    app.shell.activateById(panel.id);
  }
  active.start();
  return active.model;
}

function panelCommands(context: ICommandContext): readonly ICommand[] {
  const { active, panel, trans } = context;
  const open = (): AgentModel | null => shownAgent(context);
  return [
    {
      id: CommandIDs.openPanel,
      label: trans.__('Open the Agent Panel'),
      caption: trans.__('Show the agent of the notebook in front'),
      execute: open
    },
    {
      id: CommandIDs.focusPrompt,
      label: trans.__('Write to the Agent'),
      caption: trans.__('Go to the prompt of the agent'),
      execute: () => {
        open()?.sessions.close();
        panel.focusPrompt();
      }
    },
    {
      id: CommandIDs.openSessions,
      label: trans.__('Sessions of the Agent'),
      caption: trans.__('List the sessions of this folder'),
      isEnabled: () => active.notebook !== null,
      execute: () => open()?.sessions.open()
    }
  ];
}

function runCommands({ active, trans }: ICommandContext): readonly ICommand[] {
  const isReady = (): boolean => active.model?.isReady ?? false;
  const isRunning = (): boolean => active.model?.isRunning ?? false;
  return [
    {
      id: CommandIDs.send,
      label: trans.__('Send the Prompt'),
      caption: trans.__('Send what is written to the agent; `text` takes its place'),
      args: { text: { type: 'string', description: trans.__('What to send') } },
      isEnabled: ({ text }) => isReady() && (typeof text === 'string' || !active.model?.draft.isEmpty),
      execute: ({ text }) => {
        if (typeof text === 'string') {
          active.model?.draft.write(text);
        }
        active.model?.prompt();
      }
    },
    {
      id: CommandIDs.stop,
      label: trans.__('Stop the Agent'),
      caption: trans.__('End the run, with the code that it runs'),
      isEnabled: isRunning,
      execute: () => active.model?.stop()
    },
    {
      id: CommandIDs.continueRun,
      label: trans.__('Let the Agent Go On'),
      caption: trans.__('Go on where the run ended'),
      isEnabled: () => active.model?.state.status?.can_continue ?? false,
      execute: () => active.model?.tell({ type: 'continue' })
    },
    {
      id: CommandIDs.newSession,
      label: trans.__('New Agent Session'),
      caption: trans.__('Leave the session and begin another'),
      isEnabled: isReady,
      execute: async () => {
        await active.model?.act({ type: 'new_session' });
        active.model?.sessions.close();
      }
    },
    {
      id: CommandIDs.compact,
      label: trans.__('Compact the Context'),
      caption: trans.__('Summarise what is old for the model'),
      args: { instructions: { type: 'string', description: trans.__('What the summary is to keep') } },
      isEnabled: isReady,
      execute: ({ instructions }) =>
        active.model?.act({ type: 'compact', ...(typeof instructions === 'string' ? { instructions } : {}) })
    }
  ];
}

function notebookCommands(context: ICommandContext): readonly ICommand[] {
  const { active, trans } = context;
  const opened = (): AgentModel | null => shownAgent(context);
  const hasNotebook = (): boolean => active.notebook !== null;
  const cellId: ReadonlyJSONObject = { type: 'string', description: trans.__('The id of the cell; else the active one') };
  return [
    {
      id: CommandIDs.attachCells,
      label: trans.__('Attach Cells to the Prompt'),
      caption: trans.__('Give the selected cells and their output to the agent with the next prompt'),
      isEnabled: hasNotebook,
      execute: () => opened()?.attachSelected()
    },
    {
      id: CommandIDs.attachOutput,
      label: trans.__('Attach the Output to the Prompt'),
      caption: trans.__('Give what a cell put out to the agent with the next prompt, its pictures too'),
      args: { cell_id: cellId },
      isEnabled: ({ cell_id }) => hasNotebook() && (typeof cell_id === 'string' || hasOutput(active.notebook)),
      execute: async ({ cell_id }) => {
        const model = opened();
        await model?.attachOutput(typeof cell_id === 'string' ? cell_id : activeId(model));
      }
    },
    {
      id: CommandIDs.fixError,
      label: trans.__('Ask the Agent to Fix This'),
      caption: trans.__('Send a cell with its error to the agent'),
      args: { cell_id: cellId },
      isEnabled: ({ cell_id }) => hasNotebook() && (typeof cell_id === 'string' || hasFailed(active.notebook)),
      execute: async ({ cell_id }) => {
        const model = opened();
        const id = typeof cell_id === 'string' ? cell_id : model && activeId(model);
        if (model && id) {
          await whenReady(model);
          model.say(trans.__('This cell fails. Find out why, and fix it.'), id);
        }
      }
    },
    {
      id: CommandIDs.insertCode,
      label: trans.__('Insert Code as a Cell'),
      caption: trans.__('Put code below the active cell; it does not run'),
      args: { code: { type: 'string', description: trans.__('The code') } },
      isEnabled: () => active.model !== null,
      needsArguments: true,
      execute: ({ code }) => {
        if (typeof code === 'string') {
          active.model?.insertCell(code);
        }
      }
    }
  ];
}

/** The id of the active cell; empty where there is none. */
function activeId(model: AgentModel): string {
  return model.notebook.content.activeCell?.model.id ?? '';
}

/** Whether the active cell of `notebook` has put out anything. */
function hasOutput(notebook: NotebookPanel | null): boolean {
  const cell = notebook?.content.activeCell;
  return cell instanceof CodeCell && cell.model.outputs.length > 0;
}

/** Whether the active cell of `notebook` put out an error. */
function hasFailed(notebook: NotebookPanel | null): boolean {
  const cell = notebook?.content.activeCell;
  return cell instanceof CodeCell && hasError(cell);
}
