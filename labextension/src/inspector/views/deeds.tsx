/**
 * What can be done to the context: compact it, bring back what is hidden, write the session into a file.
 */
import * as React from 'react';

import { IHiddenEntry } from '../../protocol';
import { ITexts } from '../../texts';
import { count } from '../amounts';
import { Format } from '../source';
import { overviewOf } from '../wanted';
import { editorName } from '../words';
import { IView } from './view';

const FORMATS: readonly Format[] = ['ipynb', 'html', 'md', 'jsonl'];

export function CompactForm({ around, act, send }: IView): React.JSX.Element {
  const { texts } = around;
  const [instructions, setInstructions] = React.useState('');
  const box = React.useRef<HTMLTextAreaElement>(null);
  React.useEffect(() => box.current?.focus(), []);
  const compact = (): void => {
    act({ type: 'compact', instructions: instructions.trim() }, texts.__('Compacting the context …'));
    send({ type: 'form', form: '' });
  };
  return (
    <div className="jp-pi-Inspector-form" role="group" aria-label={texts.__('Compact the context')}>
      <label>
        {texts.__('What the summary should keep (may be empty)')}
        <textarea
          ref={box}
          rows={2}
          value={instructions}
          onChange={event => setInstructions(event.target.value)}
        />
      </label>
      <div className="jp-pi-Inspector-row">
        <button type="button" className="jp-pi-Inspector-button jp-mod-accept" onClick={compact}>
          {texts.__('Compact now')}
        </button>
        <button type="button" className="jp-pi-Inspector-button" onClick={() => send({ type: 'form', form: '' })}>
          {texts.__('Cancel')}
        </button>
      </div>
    </div>
  );
}

export function HiddenList(view: IView): React.JSX.Element {
  const { state, around } = view;
  const hidden = overviewOf(state)?.hidden ?? [];
  const total = overviewOf(state)?.hidden_count ?? 0;
  return (
    <div className="jp-pi-Inspector-form" role="group" aria-label={around.texts.__('Hidden and shortened entries')}>
      {hidden.length === 0 && <p>{around.texts.__('Nothing is hidden or shortened.')}</p>}
      {hidden.length < total && <p>{around.texts.__('The newest %1 are shown.', count(hidden.length))}</p>}
      <ul className="jp-pi-Inspector-plain">
        {hidden.map(entry => (
          <li key={entry.entry_id} className="jp-pi-Inspector-row">
            <span className="jp-pi-Inspector-tag">
              {entry.is_hidden ? around.texts.__('hidden') : around.texts.__('shortened')}
            </span>
            <span className="jp-pi-Inspector-grow" title={entry.label}>
              {entry.label}
            </span>
            <span className="jp-pi-Inspector-faint">{editorName(entry.reason, around.texts)}</span>
            <RestoreButton {...view} entry={entry} />
          </li>
        ))}
      </ul>
    </div>
  );
}

export function RestoreButton({ around, act, entry }: IView & { readonly entry: IHiddenEntry }): React.JSX.Element {
  const { texts } = around;
  return (
    <button
      type="button"
      className="jp-pi-Inspector-button"
      aria-label={texts.__('Restore %1', entry.label)}
      onClick={() => act({ type: 'restore_entry', entry_id: entry.entry_id }, texts.__('Restoring …'))}
    >
      {texts.__('Restore')}
    </button>
  );
}

export function ExportForm({ around, act, send }: IView): React.JSX.Element {
  const { texts } = around;
  const write = (format: Format): void => {
    act({ type: 'export', format, session_id: '' }, texts.__('Writing the session …'));
    send({ type: 'form', form: '' });
  };
  return (
    <div className="jp-pi-Inspector-form jp-pi-Inspector-row" role="group" aria-label={texts.__('Export the session')}>
      {FORMATS.map(format => (
        <button key={format} type="button" className="jp-pi-Inspector-button" onClick={() => write(format)}>
          {formatName(format, texts)}
        </button>
      ))}
      <span className="jp-pi-Inspector-faint">{texts.__('The file is written into the working folder.')}</span>
    </div>
  );
}

function formatName(format: Format, texts: ITexts): string {
  switch (format) {
    case 'ipynb':
      return texts.__('Notebook (.ipynb)');
    case 'html':
      return texts.__('Page (.html)');
    case 'md':
      return texts.__('Markdown (.md)');
    case 'jsonl':
      return texts.__('Session (.jsonl)');
  }
}
