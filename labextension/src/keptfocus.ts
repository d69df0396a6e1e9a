/**
 * The focus of who uses the keyboard, kept where they work when what has it is taken away or switched off.
 *
 * A browser gives it to the page as a whole then, from where Tab leads to the beginning.
 */

const USABLE = 'button:enabled, input:enabled, select:enabled, textarea:enabled, summary';

/**
 * Keep the focus in `root`, until the function that is returned is called.
 *
 * It goes to what can be used first in the nearest thing around that is still there and is one of `near`, a
 * selector; where there is none, to `otherwise`.
 */
export function keepFocus(root: HTMLElement, otherwise: string, near = ':not(*)'): () => void {
  /** What has the focus, and what it stands in. */
  let held: readonly Element[] = [];
  const onFocus = ({ target }: FocusEvent): void => {
    held = pathTo(target as Element, root);
  };
  const onBlur = (): void => {
    const [before] = held;
    // What is taken away may say that it has lost the focus, too, while it still is there.
    queueMicrotask(() => {
      held = held[0] === before && before?.isConnected ? [] : held;
    });
  };
  const look = (): void => {
    const [lost, ...around] = held;
    if (!lost || (lost.isConnected && !lost.matches(':disabled'))) {
      return;
    }
    held = [];
    if ([lost, document.body].includes(document.activeElement ?? document.body)) {
      (nearest(around, near) ?? root.querySelector<HTMLElement>(otherwise))?.focus();
    }
  };
  const observer = new MutationObserver(look);
  root.addEventListener('focusin', onFocus);
  root.addEventListener('focusout', onBlur);
  observer.observe(root, { subtree: true, childList: true, attributeFilter: ['disabled'] });
  return () => {
    observer.disconnect();
    root.removeEventListener('focusin', onFocus);
    root.removeEventListener('focusout', onBlur);
  };
}

/** `element` and what it stands in, `root` left out. */
function pathTo(element: Element, root: Element): readonly Element[] {
  const path: Element[] = [];
  for (let one: Element | null = element; one && one !== root; one = one.parentElement) {
    path.push(one);
  }
  return path;
}

function nearest(around: readonly Element[], near: string): HTMLElement | null {
  for (const one of around) {
    const found = one.isConnected && one.matches(near) ? one.querySelector<HTMLElement>(USABLE) : null;
    if (found) {
      return found;
    }
  }
  return null;
}
