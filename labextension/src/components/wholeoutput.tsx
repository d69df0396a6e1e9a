/**
 * All of an output as text: in pieces that the browser draws only where they are in view, and with its end to come.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { piecesOf } from '../conversation/pieces';
import { visible, withoutColours } from '../kernel/message';
import { said } from '../kernel/said';
import { IOutputReply } from '../protocol';
import { CopyButton } from './iconbutton';

/** An output as far as it has come. */
export interface IWholeOutput {
  /** As the kernel sent them. */
  readonly parts: readonly string[];
  /** Of the file that has all of it; empty when there is none. */
  readonly path: string;
  /** Where the next part begins. */
  readonly next: number;
  readonly isMore: boolean;
  readonly isLoading: boolean;
  readonly problem: string;
}

/** `output` with the part that came. */
export function withPart(output: IWholeOutput, { text, path, next_offset, is_cut }: IOutputReply): IWholeOutput {
  return { parts: [...output.parts, text], path, next: next_offset, isMore: is_cut, isLoading: false, problem: '' };
}

export interface IWholeOutputProps {
  readonly output: IWholeOutput;
  readonly trans: TranslationBundle;
  readonly onMore: () => void;
}

export function WholeOutput({ output, trans, onMore }: IWholeOutputProps): React.JSX.Element {
  const { parts, path, isMore, isLoading, problem } = output;
  const pieces = React.useMemo(() => parts.map(part => piecesOf(visible(withoutColours(part)))), [parts]);
  const whole = React.useMemo(() => withoutColours(parts.join('')), [parts]);
  return (
    <>
      <div className="jp-pi-WholeOutput-top">
        <span className="jp-pi-faint" role="status">
          {isLoading ? trans.__('Loading …') : isMore ? trans.__('The beginning of the output') : trans.__('All of the output')}
          {path && ` · ${path}`}
        </span>
        <CopyButton text={whole} label={trans.__('Copy output')} around={{ trans }} />
      </div>
      <div className="jp-pi-WholeOutput-text" tabIndex={0} role="region" aria-label={trans.__('Output')}>
        {pieces.map((texts, part) =>
          texts.map((text, place) => <pre key={`${part}.${place}`}>{text}</pre>)
        )}
        {problem && <div className="jp-pi-Notice jp-mod-error">{said(problem, trans)}</div>}
        {(isMore || problem) && (
          <button type="button" className="jp-pi-Button" disabled={isLoading} onClick={onMore}>
            {problem ? trans.__('Try again') : trans.__('Show more')}
          </button>
        )}
      </div>
    </>
  );
}
