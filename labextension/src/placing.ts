/**
 * Where a widget that belongs to a notebook goes in the application.
 */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { Widget } from '@lumino/widgets';

/** Show the widget of that `id`; `made` is called for it where it is not there yet. */
export function showBeside(
  shell: JupyterFrontEnd.IShell,
  id: string,
  where: { readonly mode: 'split-right' | 'tab-after'; readonly ref: string },
  made: () => Widget
): void {
  // Not asked of the shell, which in some releases knows no area `down`.
  if (!document.getElementById(id)) {
    const widget = made();
    shell.add(widget, 'main', where);
    // The main area of Notebook 7 has room for one document alone, and its first releases have no area `down`.
    for (const area of ['down', 'right']) {
      if (!widget.parent) {
        shell.add(widget, area);
      }
    }
  }
  shell.activateById(id);
}
