/**
 * What a question shows of edits of a file.
 */
import { textsFor } from '../../widget/language';
import { editsOf, linesOf } from '../edits';

const EDITS = [
  { old_text: 'a\nb\n', new_text: 'a\nc\n' },
  { old_text: 'x', new_text: '' },
  { old_text: 'a\nb', new_text: 'a\nb\nc' }
];

test('edits are shown as the lines that go and come', () => {
  const found = editsOf(`path: notes.md\nedits: ${JSON.stringify(EDITS)}`);
  expect(found?.rest).toBe('path: notes.md');
  expect(found?.edits).toEqual([
    [
      { kind: 'kept', text: '  a' },
      { kind: 'removed', text: '- b' },
      { kind: 'added', text: '+ c' }
    ],
    [{ kind: 'removed', text: '- x' }],
    [
      { kind: 'kept', text: '  a' },
      { kind: 'kept', text: '  b' },
      { kind: 'added', text: '+ c' }
    ]
  ]);
});

test.each([
  'path: notes.md',
  'edits: [1]',
  'edits: []',
  'edits: [{"old_text": "a"}]',
  'edits: [{"old_text": "a", "new_text": "b", "replace_all": true}]',
  'edits: [{"old_text": "a", "new_text": 1}]',
  'edits: [not json]'
])('%j is shown as it is', given => {
  expect(editsOf(given)).toBeNull();
});

test('a preview keeps its marks', () => {
  expect(linesOf('-old\n+new\n kept', textsFor(['en']))).toEqual([
    { kind: 'removed', text: '-old' },
    { kind: 'added', text: '+new' },
    { kind: 'kept', text: ' kept' }
  ]);
});

test('what a preview is of is told in the language of the reader, what it changes is not', () => {
  const preview = 'new code cell, after the cell ab12\n+ at the end';
  expect(linesOf(preview, textsFor(['zh']))).toEqual([
    { kind: 'kept', text: '新建代码单元格，位于单元格 ab12 之后' },
    { kind: 'added', text: '+ at the end' }
  ]);
  expect(linesOf('-at the end', textsFor(['zh']))).toEqual([{ kind: 'removed', text: '-at the end' }]);
});
