import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Node loads `graphql` by its `main`; Vite would load its `module` beside it, and two of them do not mix.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: ['test/harness/services.ts'],
    include: ['**/*.test.ts'],
    exclude: ['node_modules', 'dist', '.rubicon'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
