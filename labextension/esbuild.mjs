/**
 * Builds the inspector of the widget: one ES module that needs nothing but itself, and its style.
 *
 * Front ends without JupyterLab's packages load it, so React, the markdown library and the Chinese texts are inside.
 */
import { build } from 'esbuild';

const CHINESE = '../pi_notebook/locale/zh_CN/LC_MESSAGES/pi_notebook.json';

await build({
  entryPoints: { inspector: 'src/widget/index.tsx' },
  alias: { 'pi-notebook/chinese': CHINESE },
  outdir: '../pi_notebook/ui/static',
  bundle: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  format: 'esm',
  legalComments: 'inline',
  logLevel: 'warning',
  minify: true,
  target: 'es2020'
});

await build({
  entryPoints: { inspector: 'style/inspector.css' },
  outdir: '../pi_notebook/ui/static',
  bundle: true,
  logLevel: 'warning',
  minify: true,
  target: 'es2020'
});
