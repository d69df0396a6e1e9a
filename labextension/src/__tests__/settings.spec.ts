/**
 * The settings as a person may have written them, and as the schema has them.
 */
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { readFileSync } from 'fs';
import { join } from 'path';

import { DEFAULTS, inWords, parseValues } from '../settings';
import { textsFor } from '../widget/language';

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

test('the schema is told in the language of the reader, and asks for what the person chose as before', () => {
  const schema = SCHEMA as unknown as ISettingRegistry.ISchema;
  const told = inWords(schema, textsFor(['zh']));
  expect(told.title).toBe('智能体');
  expect(told.properties!['sendKey']).toMatchObject({ title: '发送键', enum: ['enter', 'ctrl-enter'], default: 'enter' });
  expect(inWords(schema, textsFor(['en']))).toEqual(schema);
});
