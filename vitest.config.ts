import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Every test file and every process that a test starts loads the same libraries: they are compiled once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

export default defineConfig({
  // Node loads `graphql` by its `main`; Vite would load its `module` beside it, and two of them do not mix.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: ['test/harness/services.ts'],
    include: ['**/*.test.ts'],
    exclude: ['node_modules', 'dist', '.rubicon'],
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism()),
    // A shared machine can stand still for seconds: there, a test that failed is tried once more.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
