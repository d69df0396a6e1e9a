/**
 * What every component is given: the language, the means to draw what a model wrote, and what the person can do.
 */
import { IOutputAreaModel } from '@jupyterlab/outputarea';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { TranslationBundle } from '@jupyterlab/translation';

import { ICallSegment, IEarlierReply, IOutputReply } from '../protocol';

export interface ISurroundings {
  readonly trans: TranslationBundle;
  /** Draws untrusted markdown; see `untrusted`. */
  readonly rendermime: IRenderMimeRegistry;
}

/** What the person can do in a conversation; the same object for as long as it is shown. */
export interface IActions {
  /** Put `code` into the notebook as a cell, which does not run. */
  onInsertCell(code: string): void;
  /** Go on in a session of its own from before the prompt of that entry. */
  onFork(entryId: string, text: string): void;
  /** The same from behind the answer or call of that segment. */
  onForkAfter(segmentId: string): void;
  /** As `onFork`, with the prompt's text ready to be changed. */
  onEdit(entryId: string, text: string): void;
  /** All of a call's output. */
  onOutput(segmentId: string): Promise<IOutputReply>;
  /** The same in a tab of its own. */
  onOutputTab(call: ICallSegment): void;
  /** Bring older segments in front of those that are there; rejected with a sentence. */
  onEarlier(): Promise<IEarlierReply | null>;
  /** What the code of a call drew that ran without a cell; `null` when there is none. */
  outputsOf(call: ICallSegment): IOutputAreaModel | null;
}
