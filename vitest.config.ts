import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Every test file and every process that a test starts loads the same libraries: they are compiled once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

/** Tests of functions: they open nothing and change nothing that others see, so all of a worker's files share modules. */
const functions = [
  '{bench,upstreams,schema/wire,domain/pricing,inference-edge/protocols}/**/*.test.ts',
  'dev/simulator/*/**/*.test.ts',
]
/** Among these: they listen to the process, or set its clock. */
const exceptions = ['upstreams/call-chat.test.ts', 'upstreams/chat-stream.test.ts']
const nowhere = ['node_modules', 'dist', '.rubicon']

export default defineConfig({
  // Node loads `graphql` by its `main`; Vite would load its `module` beside it, and two of them do not mix.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    setupFiles: ['test/guarded.ts'],
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism()),
    // A shared machine can stand still for seconds: there, a test that failed is tried once more.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'journeys',
          globalSetup: ['test/harness/services.ts'],
          include: ['**/*.test.ts', ...exceptions],
          exclude: [
            ...nowhere,
            '{bench,schema/wire,domain/pricing,inference-edge/protocols}/**',
            'dev/simulator/*/**',
            'upstreams/*/**',
            'upstreams/!(call-chat|chat-stream).test.ts',
          ],
        },
      },
      {
        extends: true,
        test: { name: 'functions', isolate: false, include: functions, exclude: [...nowhere, ...exceptions] },
      },
    ],
  },
})
