import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startPostgres } from '../../dev/services/postgres.ts'
import { ensureRedisServer, startRedis } from '../../dev/services/redis.ts'
import { type Context, closeContext, openContext } from '../../domain/context.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { readCatalogue } from '../../domain/models/read-catalogue.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { migrate } from '../../platform/migrations/migrate.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'

/** Secrets of all processes of a run. With NODE_ENV=production, there are no defaults. */
export const secrets = {
  MASTER_KEYS: `bench=${randomBytes(32).toString('base64')}`,
  KEY_PEPPER: 'bench-pepper-of-the-api-keys',
  SUBGRAPH_SECRET: 'bench-secret-of-the-subgraphs',
}

const schema = new URL('../../schema', import.meta.url).pathname

/** The databases of a run: its own, durable and, unless there are flags, configured as by `npm start`. */
export interface Stores {
  pids: Record<'postgres' | 'redis', number>
  /** The environment variables with which a process uses them. */
  environment: Record<string, string>
  context: Context
}

/** Starts PostgreSQL and Redis in `folder`, and prepares a database with all tables and the catalogue. */
export async function startStores(
  folder: string,
  stack: AsyncDisposableStack,
  options: { postgresFlags?: string[] } = {},
): Promise<Stores> {
  const flags = options.postgresFlags ?? []
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), flags })
  stack.defer(() => postgres.stop())
  const redis = await startRedis({ binary: await ensureRedisServer(), folder: join(folder, 'redis') })
  stack.defer(() => redis.stop())
  const environment = {
    DATABASE_URL: postgres.urlOf('bench'),
    REDIS_URL: redis.url,
    REDIS_PREFIX: 'bench:',
    RATE_REQUESTS: '100000000',
    MEDIA_FOLDER: join(folder, 'media'),
    ...secrets,
  }
  const admin = openPostgres({ url: postgres.urlOf('postgres'), name: 'bench', maxConnections: 1 })
  await admin`create database bench`
  await admin.end({ timeout: 1 })
  const context = openContext(readConfig(environment), { name: 'bench', maxConnections: 2 })
  stack.defer(() => closeContext(context))
  await migrate(environment.DATABASE_URL, schema)
  await applyCatalogue(context, await readCatalogue(join(schema, 'catalog')))
  return { pids: { postgres: postgres.pid, redis: redis.pid }, environment, context }
}
