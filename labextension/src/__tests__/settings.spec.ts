/**
 * The settings as a person may have written them, and as the schema has them.
 */
import { readFileSync } from 'fs';
import { join } from 'path';

import { DEFAULTS, parseValues } from '../settings';

const SCHEMA = JSON.parse(readFileSync(join(__dirname, '../../schema/panel.json'), 'utf8')) as {
  properties: Record<string, { enum: string[]; default: string }>;
};

test('the defaults are those of the schema', () => {
  const defaults = Object.entries(SCHEMA.properties).map(([name, property]) => [name, property.default]);
  expect(Object.fromEntries(defaults)).toEqual(DEFAULTS);
});

test('every choice of the schema is one', () => {
  for (const [name, property] of Object.entries(SCHEMA.properties)) {
    for (const choice of property.enum) {
      expect(parseValues({ [name]: choice })).toHaveProperty(name, choice);
    }
  }
});

test.each([{}, { side: 'top', sendKey: 1, whileRunning: null, runCode: ['cells'] }])('%j gives the defaults', data => {
  expect(parseValues(data)).toEqual(DEFAULTS);
});
