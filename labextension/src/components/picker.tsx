/**
 * A choice among names that can also be typed: a button with what is chosen, which opens a box with a list.
 */
import { caretDownIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Options, optionId } from './options';

export interface IPickerProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly choices: readonly string[];
  /** True for one of less weight, at the end of its row. */
  readonly isQuiet?: boolean;
  readonly onOpen: () => void;
  readonly onChoose: (value: string) => void;
}

export function Picker(props: IPickerProps): React.JSX.Element {
  const [isOpen, setIsOpen] = React.useState(false);
  const button = React.useRef<HTMLButtonElement>(null);
  const open = (): void => {
    props.onOpen();
    setIsOpen(true);
  };
  const close = (hasFocus: boolean): void => {
    setIsOpen(false);
    if (hasFocus) {
      button.current?.focus();
    }
  };
  return (
    <div className={`jp-pi-Picker ${props.isQuiet ? 'jp-mod-quiet' : ''}`}>
      <button
        ref={button}
        className="jp-pi-Picker-button"
        aria-label={`${props.label}: ${props.value}`}
        aria-expanded={isOpen}
        title={`${props.label}: ${props.value}`}
        onClick={open}
      >
        <span className="jp-pi-Picker-value">{props.value}</span>
        <caretDownIcon.react tag="span" className="jp-pi-Picker-caret" />
      </button>
      {isOpen && <Box {...props} onClose={close} />}
    </div>
  );
}

interface IBoxProps extends IPickerProps {
  readonly onClose: (hasFocus: boolean) => void;
}

function Box({ id, label, hint, value, choices, onChoose, onClose }: IBoxProps): React.JSX.Element {
  const [text, setText] = React.useState('');
  const [selected, setSelected] = React.useState(-1);
  const listId = `${id}-list`;
  const fitting = choices.filter(choice => choice.toLowerCase().includes(text.trim().toLowerCase()));
  const take = (chosen: string): void => {
    if (chosen && chosen !== value) {
      onChoose(chosen);
    }
    onClose(true);
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => setSelected(fitting.length ? (selected + 1) % fitting.length : -1),
    ArrowUp: () => setSelected(fitting.length ? (Math.max(selected, 0) - 1 + fitting.length) % fitting.length : -1),
    Enter: () => take(fitting[selected] ?? text.trim()),
    Escape: () => onClose(true)
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const does = event.nativeEvent.isComposing ? undefined : keys[event.key];
    if (does) {
      event.preventDefault();
      event.stopPropagation();
      does();
    }
  };
  return (
    <div className="jp-pi-Picker-box">
      <input
        className="jp-pi-Picker-input"
        role="combobox"
        autoFocus
        aria-label={label}
        aria-expanded={fitting.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        {...(selected >= 0 ? { 'aria-activedescendant': optionId(listId, selected) } : {})}
        placeholder={hint}
        value={text}
        spellCheck={false}
        onChange={event => {
          setText(event.target.value);
          setSelected(-1);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => onClose(false)}
      />
      <Options
        id={listId}
        label={label}
        options={fitting.map(choice => ({ key: choice, text: choice, kind: choice === value ? '✓' : '', detail: '' }))}
        selected={selected}
        onTake={place => take(fitting[place]!)}
      />
    </div>
  );
}
