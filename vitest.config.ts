import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

// Every test file and every process that a test starts loads the same libraries: they are compiled once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))

/** Tests of functions need no services. */
const functions = [
  '{bench,console,upstreams,schema/wire,domain/pricing,inference-edge/protocols,platform/watch}/**/*.test.ts',
  'operator/catalogue-import/**/*.test.ts',
  '.ci/*.test.ts',
  'simulators/vendors/*/**/*.test.ts',
]
/** Tests that count each step of the process have a process of their own. */
const alone = ['test/vendors/linear-translation.test.ts']
/**
 * Tests that run once with the subgraphs in the gateway's process, and once more with each by itself: what crosses from
 * one subgraph to another.
 */
const bothWays = [
  'test/graph/{hidden-models,journey,operator-reads,statements}.test.ts',
  'test/tasks/{graph,subscriptions}.test.ts',
  'test/payments/balance.test.ts',
  'gateway/graph/nodes.test.ts',
]
/** Limits on memory and time depend on the load of the machine: `npm run bench:limits` measures them. */
const limits = ['bench/limits/*.test.ts']
const globalSetup = ['test/harness/services.ts']
const nowhere = ['node_modules', 'dist', '.rubicon']

export default defineConfig({
  // Node loads `graphql` by its `main`; Vite would load its `module` beside it, and two of them do not mix.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    setupFiles: ['test/guarded.ts'],
    pool: 'forks',
    // Journeys wait more than they work.
    maxWorkers: Math.max(2, availableParallelism()) * 2,
    // The files of a worker share modules: each cleans up after itself.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A shared machine can stand still for seconds: what is waited for may take long, and in CI a test that failed is
    // tried once more.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000, interval: 25 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'journeys',
          globalSetup,
          include: ['**/*.test.ts'],
          exclude: [...nowhere, ...functions, ...alone, ...limits],
        },
      },
      {
        extends: true,
        test: { name: 'spread', globalSetup, include: bothWays, provide: { spread: true } },
      },
      { extends: true, test: { name: 'alone', isolate: true, include: alone } },
      {
        extends: true,
        test: {
          name: 'functions',
          globalSetup: ['test/temporary-folder.ts'],
          include: functions,
          exclude: [...nowhere, ...alone, ...limits],
        },
      },
      ...(process.env.MEASURE_LIMITS
        ? [{ extends: true as const, test: { name: 'limits', globalSetup, include: limits } }]
        : []),
    ],
  },
})
