/**
 * The inspector as a widget: what a front end loads that knows nothing of JupyterLab's extension.
 */
import * as React from 'react';
import { createRoot } from 'react-dom/client';

import { Inspection } from '../inspector/inspection';
import { IAround } from '../inspector/views/view';
import { Inspector } from '../inspector/views/inspector';
import { textsFor } from './language';
import { Markdown } from './markdown';
import { keeping, savedPicture } from './picture';
import { IWidgetModel, WidgetSource } from './source';

const AROUND: IAround = {
  Markdown,
  texts: textsFor([document.documentElement.lang, navigator.language])
};

/** Draw the inspector in `el`; the function that is returned takes it away. */
function render({ model, el }: { model: IWidgetModel; el: HTMLElement }): () => void {
  const source = new WidgetSource(model);
  const inspection = new Inspection(source, savedPicture(model));
  const forget = inspection.subscribe(keeping(model, inspection));
  el.classList.add('jp-pi-InspectorWidget');
  el.addEventListener('focusin', keepKeys);
  const root = createRoot(el);
  root.render(<Inspector inspection={inspection} around={AROUND} />);
  inspection.isShown = true;
  return () => {
    root.unmount();
    forget();
    inspection.dispose();
    source.dispose();
    el.removeEventListener('focusin', keepKeys);
  };
}

/**
 * Have keys be those of what has the focus: to a notebook around it they are commands, two of which delete.
 *
 * JupyterLab looks at the focused element first, so the mark must be on that one.
 */
function keepKeys({ target }: FocusEvent): void {
  (target as Element).setAttribute('data-lm-suppress-shortcuts', 'true');
}

export default { render };
