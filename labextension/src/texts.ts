/**
 * The language of views that stand in JupyterLab and elsewhere: what its translation bundles can do too.
 */
export interface ITexts {
  /** `text` in the reader's language, with `%1`, `%2` … replaced by `values`. */
  __(text: string, ...values: unknown[]): string;
}
