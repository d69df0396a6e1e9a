/**
 * The language of the inspector where no JupyterLab translates it: Chinese for its readers, else English.
 */
import chinese from 'pi-notebook/chinese';

import { ITexts } from '../texts';

/** Those who read the short characters: elsewhere than in Taiwan, Hong Kong and Macau. */
const CHINESE = /^zh\b(?!-(?:hant|hk|mo|tw)\b)/i;

/** The texts for who reads `languages`, as browsers name them. */
export function textsFor(languages: readonly string[]): ITexts {
  const catalogue = languages.some(language => CHINESE.test(language)) ? chinese : {};
  return {
    __: (text, ...values) =>
      (catalogue[text]?.[0] ?? text).replace(/%(\d)/g, (_, index: string) => String(values[Number(index) - 1] ?? ''))
  };
}
