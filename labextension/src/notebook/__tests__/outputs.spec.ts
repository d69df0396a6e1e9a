/**
 * The outputs of a cell as a model reads them.
 */
import { outputPictures, outputText } from '../outputs';

const LINE = '-----';
const CELL = '\u001b[36mCell\u001b[39m\u001b[36m \u001b[39mIn[3]\u001b[32m, line 1\u001b[39m\n----> 1 sales.prize';
const LIBRARY = '\u001b[36mFile \u001b[39m/venv/lib/python3.11/site-packages/pandas/core/generic.py:6434, in NDFrame';
const STANDARD = 'File /usr/lib/python3.11/json/decoder.py:355, in JSONDecoder.raw_decode';
const OWN = 'File ~/project/clean.py:7, in load(path)';
const END = "AttributeError: 'DataFrame' object has no attribute 'prize'";

function told(...traceback: readonly string[]): string {
  return outputText([{ output_type: 'error', ename: 'A', evalue: 'b', traceback }]);
}

test('of an error the frames of libraries are left out, those of the person stay', () => {
  const kept = told(LINE, CELL, OWN, LIBRARY, STANDARD, END).split('\n');
  expect(kept).toEqual([LINE, 'Cell In[3], line 1', '----> 1 sales.prize', OWN, END]);
});

test('an error of libraries alone is told whole', () => {
  expect(told(LINE, LIBRARY, END).split('\n')).toHaveLength(3);
  expect(told()).toBe('A: b');
});

test('streams, values and pictures are told in order, without colours', () => {
  const outputs = [
    { output_type: 'stream', text: ['\u001b[31mred\u001b[0m\n', 'two'] },
    { output_type: 'execute_result', data: { 'text/plain': '7', 'text/html': '<b>7</b>' } },
    { output_type: 'display_data', data: { 'image/png': 'iVBO' } }
  ];
  expect(outputText(outputs)).toBe('red\ntwo\n7\n[image/png]');
});

test('pictures are found once each, and what is no data is none', () => {
  const found = outputPictures([
    { output_type: 'display_data', data: { 'image/png': 'iVBO\n', 'image/jpeg': '/9j/', 'text/plain': 'a plot' } },
    { output_type: 'execute_result', data: { 'image/jpeg': ['/9', 'j/'] } },
    { output_type: 'display_data', data: { 'image/png': 'no base64!' } },
    { output_type: 'display_data', data: { 'image/svg+xml': '<svg/>' } },
    { output_type: 'stream', text: 'iVBO' }
  ]);
  expect(found.map(({ type, size }) => [type, size])).toEqual([
    ['image/png', 3],
    ['image/jpeg', 3]
  ]);
});

test('of a long output both ends are told, and how much lies between', () => {
  const text = `begin${'x'.repeat(50)}end`;
  expect(outputText([{ output_type: 'stream', text }], 20)).toBe('beginxxxxx\n… 38 characters left out …\nxxxxxxxend');
});
