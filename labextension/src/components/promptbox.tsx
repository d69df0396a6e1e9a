/**
 * The text box of the prompt, with what the word before the caret may become.
 */
import * as React from 'react';

import { IProposal } from '../composer/completions';
import { IComposerProps } from './composer';
import { ISurroundings } from './facts';
import { Options, optionId } from './options';
import { onPromptKey, take } from './promptkeys';

const LIST_ID = 'jp-pi-proposals';
const MAX_ROWS = 10;

export function PromptBox(props: IComposerProps): React.JSX.Element {
  const { draft, completions, isReady, isAway, around } = props;
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
        dir="auto"
        className="jp-pi-Composer-input"
        rows={Math.min(MAX_ROWS, Math.max(2, draft.text.split('\n').length))}
        value={draft.text}
        disabled={!isReady && !isAway}
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
        onKeyDown={event => onPromptKey(event, props)}
        onBlur={() => completions.close()}
      />
    </div>
  );
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
