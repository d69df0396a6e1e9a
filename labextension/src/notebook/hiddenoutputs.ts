/**
 * What came of code that ran without a cell, by the call that asked for it. It lives as long as the page.
 */
import { IOutput } from '@jupyterlab/nbformat';
import { IOutputAreaModel, OutputAreaModel } from '@jupyterlab/outputarea';
import { KernelMessage } from '@jupyterlab/services';
import { IDisposable } from '@lumino/disposable';

import { ICallSegment } from '../protocol';

/** Of one run; what comes after these is in the text that the call shows. */
const MAX_OUTPUTS = 50;
const MAX_RUNS = 100;

const PLAIN = /^text\/plain$|^application\/vnd\.jupyter\./;

/** The outputs of one run. */
export class HiddenRun {
  constructor(readonly code: string) {}

  /** What was drawn; text and errors are the call's own. */
  readonly model: IOutputAreaModel = new OutputAreaModel({ trusted: false });

  /** The segment that shows it. */
  segmentId = '';

  /** Take what a message brings. */
  add(message: KernelMessage.IIOPubMessage): void {
    const isDrawn = KernelMessage.isDisplayDataMsg(message) || KernelMessage.isExecuteResultMsg(message);
    if (!isDrawn || this.model.length >= MAX_OUTPUTS) {
      return;
    }
    const { content } = message as KernelMessage.IDisplayDataMsg;
    if (Object.keys(content.data).some(type => !PLAIN.test(type))) {
      const { data, metadata } = content;
      this.model.add({ output_type: 'display_data', data, metadata } as IOutput);
    }
  }
}

export class HiddenOutputs implements IDisposable {
  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._runs.forEach(run => run.model.dispose());
    this._runs.length = 0;
  }

  /** Code begins to run; what it puts out is given to what is returned. */
  begin(code: string): HiddenRun {
    const run = new HiddenRun(code);
    this._runs.push(run);
    if (this._runs.length > MAX_RUNS) {
      this._runs.shift()!.model.dispose();
    }
    return run;
  }

  /** What the code of a call drew; `null` when it ran as a cell or drew nothing. */
  of({ id, tool, given }: ICallSegment): IOutputAreaModel | null {
    if (tool !== 'run_code' || this._isDisposed) {
      return null;
    }
    const known = this._runs.find(run => run.segmentId === id);
    // A run does not say which call asked for it: calls come in the order of their runs.
    const found = known ?? this._runs.find(run => !run.segmentId && isShownAs(run.code, given));
    if (found) {
      found.segmentId = id;
    }
    return found && found.model.length > 0 ? found.model : null;
  }

  private _isDisposed = false;
  private readonly _runs: HiddenRun[] = [];
}

/** Whether a segment shows that code, of which it may have the beginning only. */
function isShownAs(code: string, given: string): boolean {
  return code === given || (given.length > 1000 && code.startsWith(given.slice(0, 1000)));
}
