import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/harness/services.ts'],
    include: ['**/*.test.ts'],
    exclude: ['node_modules', 'dist', '.rubicon'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
