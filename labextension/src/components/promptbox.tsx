/**
 * The text box of the prompt, with what the word before the caret may become.
 */
import * as React from 'react';

import { completed, IProposal } from '../composer/completions';
import { isAtEdge } from '../composer/history';
import { isComposing, sends } from '../composer/keys';
import { IComposerProps } from './composer';
import { ISurroundings } from './facts';
import { Options, optionId } from './options';

const LIST_ID = 'jp-pi-proposals';
const MAX_ROWS = 10;

export function PromptBox(props: IComposerProps): React.JSX.Element {
  const { draft, completions, isReady, around } = props;
  const { trans } = around;
  const box = React.useRef<HTMLTextAreaElement>(null);
  const shown = completions.shown;
  React.useLayoutEffect(() => {
    if (draft.caret !== null) {
      box.current?.setSelectionRange(draft.caret, draft.caret);
    }
  }, [draft.text, draft.caret]);
  return (
    <div className="jp-pi-Composer-box">
      {shown && (
        <Options
          id={LIST_ID}
          label={trans.__('Completions')}
          options={shown.items.map((item, place) => ({
            key: `${place} ${item.text}`,
            text: item.text,
            kind: kindName(item.kind, around),
            detail: item.detail
          }))}
          selected={shown.selected}
          onTake={place => take(props, place)}
        />
      )}
      <textarea
        ref={box}
        className="jp-pi-Composer-input"
        rows={Math.min(MAX_ROWS, Math.max(2, draft.text.split('\n').length))}
        value={draft.text}
        disabled={!isReady}
        placeholder={trans.__('Ask the agent; @ and / name things')}
        role="combobox"
        aria-label={trans.__('Prompt')}
        aria-autocomplete="list"
        aria-expanded={shown !== null}
        aria-controls={LIST_ID}
        {...(shown ? { 'aria-activedescendant': optionId(LIST_ID, shown.selected) } : {})}
        onChange={event => {
          draft.write(event.target.value);
          completions.update(event.target.value, event.target.selectionStart);
        }}
        onKeyDown={event => onKeyDown(event, props)}
        onBlur={() => completions.close()}
      />
    </div>
  );
}

function onKeyDown(event: React.KeyboardEvent<HTMLTextAreaElement>, props: IComposerProps): void {
  const isDone = !isComposing(event.nativeEvent) && (choose(event, props) || send(event, props) || recall(event, props));
  if (isDone) {
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The keys of the proposals. */
function choose(event: React.KeyboardEvent, props: IComposerProps): boolean {
  const { completions } = props;
  if (!completions.shown || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
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

function take({ draft, completions, onAttachCell }: IComposerProps, place: number): void {
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

function kindName(kind: IProposal['kind'], { trans }: ISurroundings): string {
  switch (kind) {
    case 'variable':
      return trans.__('variable');
    case 'file':
      return trans.__('file');
    case 'skill':
      return trans.__('skill');
    case 'template':
      return trans.__('template');
    case 'cell':
      return trans.__('cell');
    case 'other':
      return '';
  }
}
