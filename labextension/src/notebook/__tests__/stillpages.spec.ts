/**
 * The page in place of a widget: there while the widget has nothing but words to show, and gone when it has a view.
 */
import '../../__tests__/dragevent';

import { IRenderMime, IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { nullTranslator } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import { rendererOf } from '../stillpages';

const TRANS = nullTranslator.load('pi_notebook');
const WIDGET = 'application/vnd.jupyter.widget-view+json';

/** As ipywidgets draws a view: words first, and perhaps a view later. */
class Live extends Panel {
  renderModel(): Promise<void> {
    this.node.textContent = 'Loading widget...';
    return Promise.resolve();
  }

  fail(): void {
    this.node.textContent = 'Error displaying widget: model not found';
    this.addClass('jupyter-widgets');
  }

  succeed(): void {
    this.node.textContent = '';
    this.addWidget(new Widget());
  }
}

class Page extends Widget {
  renderModel(): Promise<void> {
    this.node.textContent = 'the next request';
    return Promise.resolve();
  }
}

/** A registry that knows these renderers alone. */
function registryOf(renderers: Readonly<Record<string, () => Widget>>): IRenderMimeRegistry {
  return {
    getFactory: (type: string) => renderers[type],
    createRenderer: (type: string) => renderers[type]!()
  } as unknown as IRenderMimeRegistry;
}

/** An output that is being drawn, with what draws it. */
async function drawn(): Promise<{ output: Panel; live: Live }> {
  const output = new Panel();
  const live = rendererOf(registryOf({ [WIDGET]: () => new Live(), 'text/html': () => new Page() }), TRANS);
  output.addWidget(live);
  await live.renderModel({ data: {} } as IRenderMime.IMimeModel);
  return { output, live: live as unknown as Live };
}

/** Observers are told in a task of their own; one that changed what it observes would never let this end. */
const told = (): Promise<void> => new Promise(resolve => void setTimeout(resolve, 0));

test('a widget that has a view is shown alone, and what draws it is that of widgets', async () => {
  const { output, live } = await drawn();
  expect(live).toBeInstanceOf(Live);
  live.succeed();
  await told();
  expect(output.widgets).toEqual([live]);
  expect(live.hasClass('jp-pi-mod-unseen')).toBe(false);
});

test('where the model is gone the page stands in its place, and gives it back to a view that comes after all', async () => {
  const { output, live } = await drawn();
  live.fail();
  await told();
  expect(output.node.textContent).toContain('the next request');
  expect(live.hasClass('jp-pi-mod-unseen')).toBe(true);
  expect(output.widgets.filter(one => 'renderModel' in one)).toEqual([live]);
  live.succeed();
  await told();
  expect(output.widgets).toEqual([live]);
  expect(live.hasClass('jp-pi-mod-unseen')).toBe(false);
});

test('an output that is gone leaves nothing behind', async () => {
  const { output, live } = await drawn();
  live.fail();
  await told();
  output.dispose();
  await told();
  expect(live.isDisposed).toBe(true);
});

test('without widgets in the front end the page is drawn alone', () => {
  expect(rendererOf(registryOf({ 'text/html': () => new Page() }), TRANS)).toBeInstanceOf(Page);
});
