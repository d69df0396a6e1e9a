/**
 * A summary is drawn and does nothing else.
 */
import { markdownHtml } from '../markdown';

const CODE = 'alert(1)';
const URL = 'https://attacker.invalid/x';

const HOSTILE = [
  `<script>${CODE}</script>`,
  `<img src=x onerror="${CODE}">`,
  `![](${URL})`,
  `![x](data:image/svg+xml,<svg onload=${CODE}>)`,
  `[x](javascript:${CODE})`,
  `[x](  JaVaScRiPt:${CODE})`,
  `[x](java\tscript:${CODE})`,
  `[x](&#106;avascript:${CODE})`,
  `[x](vbscript:${CODE})`,
  `[x](data:text/html,<script>${CODE}</script>)`,
  `[x](file:///etc/passwd)`,
  `[x](//attacker.invalid)`,
  `<a href="javascript:${CODE}">x</a>`,
  `<a href="${URL}" ping="${URL}">x</a>`,
  `<iframe src="${URL}"></iframe>`,
  `<iframe srcdoc="<script>${CODE}</script>"></iframe>`,
  `<object data="${URL}"></object>`,
  `<embed src="${URL}">`,
  `<svg><script>${CODE}</script></svg>`,
  `<svg><animate onbegin=${CODE} attributeName=x></svg>`,
  `<math><mtext><table><mglyph><style><img src onerror=${CODE}></style></mglyph></table></mtext></math>`,
  `<form action="${URL}"><input name=a><button>x</button></form>`,
  `<style>@import '${URL}'; * { display: none }</style>`,
  `<div style="background:url(${URL});position:fixed">x</div>`,
  `<link rel=stylesheet href="${URL}">`,
  `<meta http-equiv=refresh content="0;url=${URL}">`,
  `<base href="${URL}">`,
  `<video src="${URL}" autoplay></video><audio src="${URL}"></audio>`,
  `<table background="${URL}"><tr><td background="${URL}">x</td></tr></table>`,
  `<details open ontoggle=${CODE}><summary>x</summary></details>`,
  `<noscript><p title="</noscript><img src=x onerror=${CODE}>">`,
  `<template><script>${CODE}</script></template>`,
  `<p id="forms" name="location" class="jp-Dialog" contenteditable autofocus onfocus=${CODE}>x</p>`,
  `\`\`\`"><img src=x onerror=${CODE}>\nx\n\`\`\``,
  `<<script>${CODE}//<</script>`,
  `<x-y onclick=${CODE}>x</x-y>`
];

const TAGS = /^(A|B|BLOCKQUOTE|BR|CODE|DEL|DETAILS|DIV|EM|H[1-6]|HR|LI|OL|P|PRE|SPAN|STRONG|SUMMARY|TABLE|T(BODY|D|H|HEAD|R)|UL)$/;
const ATTRIBUTES = ['href', 'title', 'align', 'colspan', 'rowspan', 'start', 'target', 'rel'];

function drawn(text: string): HTMLElement {
  const host = document.createElement('div');
  host.innerHTML = markdownHtml(text);
  return host;
}

test.each(HOSTILE)('%s does nothing and fetches nothing', text => {
  for (const wrapped of [text, `- ${text}`, `> # ${text}`, `a ${text} b`]) {
    for (const element of drawn(wrapped).querySelectorAll('*')) {
      expect(element.tagName).toMatch(TAGS);
      for (const { name, value } of element.attributes) {
        expect(ATTRIBUTES).toContain(name);
        expect(name === 'href' ? value : 'https://').toMatch(/^(https?:\/\/|mailto:)/);
      }
    }
  }
});

test('no markup of the text reaches the sanitizer', () => {
  const host = drawn('a <b>c</b> ![d](https://attacker.invalid/e)\n\n<video><track default src=https://attacker.invalid/f></video>');
  expect(host.textContent!.trim().split(/\n+/)).toEqual([
    'a <b>c</b> ![d](https://attacker.invalid/e)',
    '<video><track default src=https://attacker.invalid/f></video>'
  ]);
});

test('a link says whereto, opens a page of its own and tells it nothing', () => {
  const link = drawn('[docs](https://example.org/a)').querySelector('a')!;
  expect([link.textContent, link.title, link.target, link.rel]).toEqual([
    'docs',
    'https://example.org/a',
    '_blank',
    'noopener noreferrer'
  ]);
});

test('what a summary is made of is drawn', () => {
  const host = drawn('## Goal\n\n- **one** `two`\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\n3. x');
  expect(host.querySelector('h2')!.textContent).toBe('Goal');
  expect(host.querySelector('li strong')!.textContent).toBe('one');
  expect(host.querySelector('td')!.getAttribute('align')).toBe('right');
  expect(host.querySelector('ol')!.getAttribute('start')).toBe('3');
});

test('the box of a task says whether it is done', () => {
  expect(markdownHtml('- [ ] open\n- [x] done').replace(/\s*\n\s*/g, '')).toBe('<ul><li>☐ open</li><li>☑ done</li></ul>');
});

test('what is written between tags keeps its lines', () => {
  const shown = document.createElement('div');
  shown.innerHTML = markdownHtml('Done.\n\n<ledger>\nVariables: df\nPackages: pandas\n</ledger>');
  expect(shown.querySelectorAll('p')).toHaveLength(2);
  expect(shown.querySelectorAll('p br')).toHaveLength(3);
  expect(shown.textContent).toContain('<ledger>Variables: df');
});
