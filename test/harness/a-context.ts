import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject, vi } from 'vitest'
import { type Context, closeContext, openContext } from '../../domain/context.ts'
import { type Config, readConfig } from '../../platform/config/read-config.ts'
import { aDatabase, type TestDatabase } from './a-database.ts'

export interface TestSystem {
  config: Config
  context: Context
  database: TestDatabase
  close(): Promise<void>
}

/** A context with a separate database and Redis prefix on the real services. `settingsOf` names the database's address. */
export async function aSystem(
  env: Record<string, string> = {},
  settingsOf: (databaseUrl: string) => Record<string, string> = url => ({ DATABASE_URL: url }),
): Promise<TestSystem> {
  const database = await aDatabase()
  const config = aConfig({ ...settingsOf(database.url), ...env })
  const context = openContext(config, { name: 'test' })
  return {
    config,
    context,
    database,
    async close() {
      await closeContext(context)
      await database.close()
    },
  }
}

/** Settings for tests: loopback allowed, no logs, a separate Redis prefix. */
export function aConfig(env: Record<string, string>): Config {
  return readConfig({
    NODE_ENV: 'test',
    REDIS_URL: inject('redisUrl'),
    REDIS_PREFIX: `t${randomBytes(5).toString('hex')}:`,
    ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'silent',
    MEDIA_FOLDER: inject('mediaFolder'),
    EDGE_PORT: '0',
    CONTROL_PORT: '0',
    RATE_REQUESTS: '1000000',
    ALLOWANCES: 'management_calls=1000000/1000000',
    CALLS_PER_ADDRESS: '1000000',
    DRAIN_DELAY_MS: '0',
    ...env,
  })
}

/**
 * Waits until the Redis server of the tests has answered the process at `url`. Before, a process counts by itself, and
 * tests of limits need one count from the first request on.
 */
export async function untilRedisAnswers({ redisUrl }: Config, url: string): Promise<void> {
  if (redisUrl !== inject('redisUrl')) return
  const state = async () => ((await (await fetch(`${url}/readyz`)).json()) as { redis?: string }).redis
  await vi.waitUntil(async () => (await state()) === 'ok', { timeout: 30_000, interval: 5 })
}

/** Writes a file of settings, such as `VENDOR_CREDENTIALS_FILE`. Returns its path. */
export function aSettingsFile(contents: unknown): string {
  const path = join(mkdtempSync(join(inject('folder'), 'settings-')), 'settings.yaml')
  writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents))
  return path
}
