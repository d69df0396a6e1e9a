/**
 * What the keys do in the text box of the prompt: choose a proposal, send, go through the prompts before.
 */
import * as React from 'react';

import { completed, isWritten } from '../composer/completions';
import { isAtEdge } from '../composer/history';
import { isComposing, sends } from '../composer/keys';
import { IComposerProps } from './composer';

/** Do what a key does; others write. */
export function onPromptKey(event: React.KeyboardEvent<HTMLTextAreaElement>, props: IComposerProps): void {
  const isDone = !isComposing(event.nativeEvent) && (choose(event, props) || send(event, props) || recall(event, props));
  if (isDone) {
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The keys of the proposals. */
function choose(event: React.KeyboardEvent, props: IComposerProps): boolean {
  const { completions, draft } = props;
  if (!completions.shown || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
    return false;
  }
  if (event.key === 'Enter' && isWritten(draft.text, completions.shown)) {
    completions.close();
    return false;
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => completions.move(1),
    ArrowUp: () => completions.move(-1),
    Enter: () => take(props, completions.shown!.selected),
    Tab: () => take(props, completions.shown!.selected),
    Escape: () => completions.close()
  };
  keys[event.key]?.();
  return event.key in keys;
}

function send(event: React.KeyboardEvent, { values, completions, onSend }: IComposerProps): boolean {
  const sent = sends(event.nativeEvent, values.sendKey);
  if (sent) {
    completions.close();
    onSend(sent.isOther);
  }
  return sent !== null;
}

/** The arrows that leave the text go through the prompts before. */
function recall(event: React.KeyboardEvent<HTMLTextAreaElement>, { draft, onRecall }: IComposerProps): boolean {
  const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : null;
  const { selectionStart, selectionEnd } = event.currentTarget;
  const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
  return step !== null && isPlain && selectionStart === selectionEnd && isAtEdge(draft.text, selectionStart, step)
    ? onRecall(step)
    : false;
}

/** Put a proposal in place of the word before the caret. */
export function take({ draft, completions, onAttachCell }: IComposerProps, place: number): void {
  const shown = completions.shown;
  const item = shown?.items[place];
  if (!shown || !item) {
    return;
  }
  const text = completed(draft.text, shown, item);
  draft.complete(text);
  completions.close();
  if (item.cellId !== undefined) {
    onAttachCell(item.cellId);
  } else if (item.text.endsWith('/')) {
    completions.update(text.text, text.caret);
  }
}
