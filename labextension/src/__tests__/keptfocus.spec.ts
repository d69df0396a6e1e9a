/**
 * Where the focus goes when what has it is taken away.
 */
import { keepFocus } from '../keptfocus';

const PAGE = `
  <button id="elsewhere"></button>
  <section>
    <ul><li><form><input id="name"></form><button id="rename"></button></li><li><button id="next"></button></li></ul>
    <div id="question"><button id="allow"></button></div>
    <textarea id="prompt"></textarea>
  </section>`;

let release: () => void;

beforeEach(() => {
  document.body.innerHTML = PAGE;
  release = keepFocus(document.querySelector('section')!, '#prompt', 'li, ul');
});

afterEach(() => release());

/** The id of what has the focus once `change` is done. */
async function focusedAfter(change: () => void): Promise<string> {
  change();
  await Promise.resolve();
  return document.activeElement!.id;
}

function the(id: string): HTMLElement {
  return document.getElementById(id)!;
}

test('it goes to what is near, else to where it is kept', async () => {
  the('name').focus();
  expect(await focusedAfter(() => document.querySelector('form')!.remove())).toBe('rename');
  expect(await focusedAfter(() => document.querySelector('li')!.remove())).toBe('next');
  the('allow').focus();
  expect(await focusedAfter(() => the('question').remove())).toBe('prompt');
});

test('what is switched off loses it, what is switched on again has it no more', async () => {
  the('allow').focus();
  expect(await focusedAfter(() => the('allow').setAttribute('disabled', ''))).toBe('prompt');
  expect(await focusedAfter(() => the('allow').removeAttribute('disabled'))).toBe('prompt');
});

test('who has gone elsewhere is not called back', async () => {
  the('allow').focus();
  expect(await focusedAfter(() => the('elsewhere').focus())).toBe('elsewhere');
  expect(await focusedAfter(() => the('question').remove())).toBe('elsewhere');
  the('next').focus();
  expect(await focusedAfter(() => the('next').blur())).toBe('');
  expect(await focusedAfter(() => document.querySelector('ul')!.remove())).toBe('');
});

test('one that is let go keeps nothing', async () => {
  release();
  the('allow').focus();
  expect(await focusedAfter(() => the('question').remove())).toBe('');
});
