/**
 * The options that a text box opens, one of them chosen; the box keeps the focus and has the keys.
 */
import * as React from 'react';

export interface IOption {
  readonly key: string;
  readonly text: string;
  /** What kind it is, in one word; may be empty. */
  readonly kind: string;
  readonly detail: string;
}

export interface IOptionsProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly IOption[];
  readonly selected: number;
  readonly onTake: (place: number) => void;
}

/** The id of an option, for `aria-activedescendant`. */
export function optionId(id: string, place: number): string {
  return `${id}-${place}`;
}

export function Options({ id, label, options, selected, onTake }: IOptionsProps): React.JSX.Element {
  const list = React.useRef<HTMLDivElement>(null);
  React.useLayoutEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <div className="jp-pi-Options" role="listbox" id={id} aria-label={label} ref={list}>
      {options.map((option, place) => (
        <div
          key={option.key}
          id={optionId(id, place)}
          className={`jp-pi-Options-item ${place === selected ? 'jp-mod-selected' : ''}`}
          role="option"
          aria-selected={place === selected}
          // The box would lose the focus on the way to a click.
          onMouseDown={event => event.preventDefault()}
          onClick={() => onTake(place)}
        >
          <span className="jp-pi-Options-text">{option.text}</span>
          <span className="jp-pi-Options-detail">{option.detail}</span>
          {option.kind && <span className="jp-pi-Options-kind">{option.kind}</span>}
        </div>
      ))}
    </div>
  );
}
