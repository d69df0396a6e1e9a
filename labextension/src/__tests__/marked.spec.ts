/**
 * Sentences with what they name.
 */
import * as React from 'react';

import { marked } from '../marked';

/** What is drawn, with the names of the elements that are not text alone. */
function drawn(text: string): string[] {
  return marked(text)
    .map(node => (React.isValidElement<{ children: string }>(node) ? `${node.type}: ${node.props.children}` : `${node}`))
    .filter(Boolean);
}

test('commands are code and files stand out', () => {
  const text = 'Run `%agent`: it is in **/a_b/c.html** (3 bytes).';
  expect(drawn(text)).toEqual(['Run ', 'code: %agent', ': it is in ', 'b: /a_b/c.html', ' (3 bytes).']);
});

test.each(['2 ** 3 and a lone ` stay', '<b>text</b>'])('%s stays a text', text => {
  expect(drawn(text)).toEqual([text]);
});
