/**
 * Of what a model wrote, what the registry for it lets through.
 */
import { IRenderMime, IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer';

import { untrusted } from '../markdown';

const REGISTRY = { sanitizer: new Sanitizer(), clone: (options: object) => options } as unknown as IRenderMimeRegistry;

function sanitized(html: string): string {
  return (untrusted(REGISTRY).sanitizer as IRenderMime.ISanitizer).sanitize(html);
}

test('the box of a task says whether it is done, and can not be filled in', () => {
  const tasks = '<ul><li><input disabled="" type="checkbox"> open</li><li><input checked="" type="checkbox"> done</li></ul>';
  expect(sanitized(tasks)).toBe('<ul><li><span>☐</span> open</li><li><span>☑</span> done</li></ul>');
});

test.each(['<input value="x">', '<input type="image" src="https://attacker.invalid/x">', '<input type=text autofocus onfocus=x()>'])(
  'nothing is left of %j',
  html => {
    expect(sanitized(html)).toBe('<span></span>');
  }
);
