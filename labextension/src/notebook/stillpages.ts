/**
 * The inspector's page in place of its widget where the widget cannot be shown, in every open notebook.
 *
 * ipywidgets says that a model was not found wherever a notebook is opened again without the kernel that
 * had it. The output has a page that says more, which a notebook's registry of renderers would choose
 * only if there were no widget at all. So the output also has a type of our own, preferred to the widget's:
 * what draws it is ipywidgets' own renderer, watched for whether a view comes.
 */
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMime, IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { Panel, PanelLayout, Widget } from '@lumino/widgets';

export const INSPECTOR_TYPE = 'application/vnd.pi-notebook.inspector+json';
const WIDGET_TYPE = 'application/vnd.jupyter.widget-view+json';
const PAGE_TYPE = 'text/html';

const UNSEEN = 'jp-pi-mod-unseen';

/** Before that of widgets, which is -10. */
const RANK = -20;

/** How long a view may take to come; later it still takes the page's place. */
const LOADING_MS = 3_000;

/**
 * The renderers of the inspector in the notebooks of `tracker`.
 */
export class StillPages implements IDisposable {
  constructor(tracker: INotebookTracker, trans: TranslationBundle) {
    this._tracker = tracker;
    this._trans = trans;
    tracker.forEach(panel => this._follow(tracker, panel));
    tracker.widgetAdded.connect(this._follow, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._tracker.widgetAdded.disconnect(this._follow, this);
    this._tracker.forEach(panel => panel.content.rendermime.removeMimeType(INSPECTOR_TYPE));
  }

  private _follow(_: unknown, { content }: NotebookPanel): void {
    const { rendermime } = content;
    rendermime.addFactory(
      {
        // As widgets are: of a notebook that is not trusted the page is shown, sanitized.
        safe: false,
        mimeTypes: [INSPECTOR_TYPE],
        createRenderer: () => rendererOf(rendermime, this._trans)
      },
      RANK
    );
  }

  private _isDisposed = false;
  private readonly _tracker: INotebookTracker;
  private readonly _trans: TranslationBundle;
}

/** The widget's renderer, beside which the page is shown as long as it has no view; or the page's alone. */
export function rendererOf(rendermime: IRenderMimeRegistry, trans: TranslationBundle): IRenderMime.IRenderer {
  if (!rendermime.getFactory(WIDGET_TYPE)) {
    return rendermime.createRenderer(PAGE_TYPE);
  }
  // ipywidgets looks for its own among the children of an output, so it must be that one itself.
  const live = rendermime.createRenderer(WIDGET_TYPE);
  const render = live.renderModel.bind(live);
  let page: StillPage | null = null;
  live.renderModel = model => {
    page ??= new StillPage(live, trans, () => drawnPage(rendermime, model));
    return render(model);
  };
  return live;
}

function drawnPage(rendermime: IRenderMimeRegistry, model: IRenderMime.IMimeModel): Widget {
  const renderer = rendermime.createRenderer(PAGE_TYPE);
  renderer.renderModel(model).catch(reason => console.warn('pi-notebook: a page could not be drawn', reason));
  return renderer;
}

/**
 * Shows the page beside `live` while that has nothing but words to show.
 */
class StillPage {
  constructor(live: Widget, trans: TranslationBundle, draw: () => Widget) {
    this._live = live;
    this._trans = trans;
    this._draw = draw;
    this._observer = new MutationObserver(() => this._look());
    this._observer.observe(live.node, { childList: true, attributes: true, attributeFilter: ['class'] });
    live.disposed.connect(this._end, this);
    this._look();
  }

  private _look(): void {
    if (this._live.node.childElementCount > 0) {
      this._wait(false);
      this._hide();
    } else if (this._live.hasClass('jupyter-widgets')) {
      this._show(); // it has said that there will be none
    } else if (!this._page) {
      this._wait(true);
    }
  }

  private _wait(isDue: boolean): void {
    if (isDue === (this._timer !== 0)) {
      return;
    }
    window.clearTimeout(this._timer);
    this._timer = isDue ? window.setTimeout(() => this._show(), LOADING_MS) : 0;
  }

  private _show(): void {
    this._wait(false);
    const { parent } = this._live;
    if (this._page || !(parent?.layout instanceof PanelLayout)) {
      return;
    }
    // A panel around it: what draws an output is looked for among the children of the output itself.
    this._page = new Panel();
    this._page.addClass('jp-pi-StillPage');
    this._page.addClass('jp-OutputArea-output');
    this._page.addWidget(this._note());
    this._page.addWidget(this._draw());
    parent.layout.addWidget(this._page);
    this._live.addClass(UNSEEN);
  }

  private _note(): Widget {
    const node = document.createElement('p');
    node.textContent = this._trans.__('The context as it was when the cell ran. Run the cell again to look into it.');
    return new Widget({ node });
  }

  private _hide(): void {
    if (this._page) {
      this._page.dispose();
      this._page = null;
      this._live.removeClass(UNSEEN); // only then: a class that is taken away is seen as a change, there or not
    }
  }

  private _end(): void {
    this._observer.disconnect();
    this._wait(false);
    this._page?.dispose();
  }

  private readonly _draw: () => Widget;
  private readonly _live: Widget;
  private readonly _observer: MutationObserver;
  private _page: Panel | null = null;
  private _timer = 0;
  private readonly _trans: TranslationBundle;
}
