/**
 * Consent is given by a click that was meant for the question that is there.
 */
import * as React from 'react';
import { createRoot, Root } from 'react-dom/client';

import { Answer } from '../../model';
import { IAskMessage } from '../../protocol';
import { Approval } from '../approval';
import { ISurroundings } from '../facts';

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

beforeEach(() => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  answers = [];
  host = document.body.appendChild(document.createElement('div'));
  root = createRoot(host);
  React.act(() => root.render(<Approval ask={ASK} around={AROUND} onAnswer={answer => answers.push(answer)} />));
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

test.each(['Allow once', 'Always in this run', 'Always in this session'])('the second click of two is no "%s"', name => {
  click(name, 2);
  expect(answers).toEqual([]);
  click(name, 1);
  click(name, 0);
  expect(answers).toHaveLength(2);
});

test('code of which nothing is left cannot be allowed, but be denied', () => {
  click('Edit', 1);
  const field = host.querySelector('textarea')!;
  const write = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!;
  React.act(() => {
    write.call(field, ' \n');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  expect(button('Allow once').disabled).toBe(true);
  React.act(() => void field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true })));
  expect(answers).toEqual([]);
  click('Deny', 1);
  expect(answers).toEqual([{ allowed: false, reason: '' }]);
});
