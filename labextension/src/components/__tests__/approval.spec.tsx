/**
 * Consent is given by a click that was meant for the question that is there.
 */
import * as React from 'react';
import { createRoot, Root } from 'react-dom/client';

import { Answer } from '../../model';
import { IAskMessage } from '../../protocol';
import { Approval } from '../approval';
import { ISurroundings } from '../facts';
import { MemoryProvider } from '../memory';

jest.mock('../code', () => ({ Code: () => null }));

const ASK: IAskMessage = {
  type: 'ask',
  request_id: 'q',
  fingerprint: 'f',
  tool: 'run_code',
  code: '1 + 1',
  arguments: '',
  preview: ''
};
const AROUND = { trans: { __: (text: string) => text } } as unknown as ISurroundings;

let answers: Answer[];
let host: HTMLElement;
let root: Root;
let memory: Map<string, unknown>;

function show(): void {
  root = createRoot(host);
  React.act(() =>
    root.render(
      <MemoryProvider value={memory}>
        <Approval ask={ASK} around={AROUND} onAnswer={answer => answers.push(answer)} />
      </MemoryProvider>
    )
  );
}

beforeEach(() => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  answers = [];
  host = document.body.appendChild(document.createElement('div'));
  memory = new Map();
  show();
});

afterEach(() => {
  React.act(() => root.unmount());
  host.remove();
});

function button(name: string): HTMLButtonElement {
  return [...host.querySelectorAll('button')].find(one => one.textContent === name)!;
}

function click(name: string, detail: number): void {
  React.act(() => void button(name).dispatchEvent(new MouseEvent('click', { bubbles: true, detail })));
}

function write(text: string): void {
  const field = host.querySelector('textarea')!;
  React.act(() => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

function press(key: KeyboardEventInit): void {
  const event = new KeyboardEvent('keydown', { ...key, bubbles: true });
  React.act(() => void host.querySelector('textarea')!.dispatchEvent(event));
}

test.each(['Allow once', 'Always in this run', 'Always in this session'])('the second click of two is no "%s"', name => {
  click(name, 2);
  expect(answers).toEqual([]);
  click(name, 1);
  click(name, 0);
  expect(answers).toHaveLength(2);
});

test('code of which nothing is left cannot be allowed, but be denied', () => {
  click('Edit', 1);
  write(' \n');
  expect(button('Allow once').disabled).toBe(true);
  press({ key: 'Enter', ctrlKey: true });
  expect(answers).toEqual([]);
  click('Deny', 1);
  expect(answers).toEqual([{ allowed: false, reason: '' }]);
});

test('what was written is still there when the question comes into view again, and can be discarded', () => {
  click('Edit', 1);
  write('2 + 2');
  React.act(() => root.unmount());
  show();
  expect(host.querySelector('textarea')!.value).toBe('2 + 2');
  press({ key: 'Escape' });
  expect(host.querySelector('textarea')!.value).toBe('2 + 2');
  click('Discard the edit', 1);
  click('Edit', 1);
  expect(host.querySelector('textarea')!.value).toBe('1 + 1');
  press({ key: 'Escape' });
  click('Allow once', 1);
  expect(answers).toEqual([{ allowed: true, scope: 'once', code: null }]);
});
