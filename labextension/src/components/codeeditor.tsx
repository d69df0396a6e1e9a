/**
 * The code of a call that is being asked about, as the person changes it.
 */
import * as React from 'react';

import { visible } from '../kernel/message';
import { ISurroundings } from './facts';

export interface ICodeEditorProps {
  readonly code: string;
  readonly around: ISurroundings;
  readonly onChange: (code: string) => void;
  readonly onAllow: () => void;
  readonly onEscape: () => void;
}

export function CodeEditor({ code, around, onChange, onAllow, onEscape }: ICodeEditorProps): React.JSX.Element {
  const { trans } = around;
  const field = React.useRef<HTMLTextAreaElement>(null);
  React.useEffect(() => field.current?.focus(), []);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      onAllow();
    } else if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
      onEscape();
    }
  };
  const shown = visible(code);
  return (
    <>
      <textarea
        className="jp-pi-Approval-edit"
        ref={field}
        aria-label={trans.__('Code to run instead')}
        title={trans.__('Ctrl+Enter allows it once')}
        rows={Math.min(16, code.split('\n').length + 1)}
        value={code}
        spellCheck={false}
        onChange={event => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {shown !== code && (
        <>
          <div className="jp-pi-faint">{trans.__('It has characters that cannot be seen, which are written out here:')}</div>
          <pre className="jp-pi-Code">{shown}</pre>
        </>
      )}
    </>
  );
}
