import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Context, closeContext, openContext } from '../../domain/context.ts'
import { type Config, readConfig } from '../../platform/config/read-config.ts'
import { aDatabase, type TestDatabase } from './a-database.ts'

export interface TestSystem {
  config: Config
  context: Context
  database: TestDatabase
  close(): Promise<void>
}

/** A context with a separate database and Redis prefix on the real services. */
export async function aSystem(env: Record<string, string> = {}): Promise<TestSystem> {
  const database = await aDatabase()
  const config = aConfig({ DATABASE_URL: database.url, ...env })
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

/** Writes a file of settings, such as `VENDOR_CREDENTIALS_FILE`. Returns its path. */
export function aSettingsFile(contents: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'settings-')), 'settings.yaml')
  writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents))
  return path
}
