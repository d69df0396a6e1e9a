// What can be tested without a browser: reading messages, reducing them, and views of plain data.
const ESM = ['@jupyterlab', '@jupyter', '@lumino', '@tanstack', 'lib0', 'y-protocols', 'marked', 'uuid'];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'jsdom',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/src/**/*.spec.tsx'],
  moduleNameMapper: {
    '\\.(svg|css)$': '<rootDir>/src/__tests__/text.ts',
    '^pi-notebook/chinese$': '<rootDir>/../pi_notebook/locale/zh_CN/LC_MESSAGES/pi_notebook.json'
  },
  transform: {
    '^.+\\.(ts|tsx|js|mjs)$': ['ts-jest', { tsconfig: 'tsconfig.test.json', isolatedModules: true, diagnostics: false }]
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM.join('|')})/)`]
};
