import { join } from 'node:path'
import { type PostgresService, startPostgres } from '../../dev/services/postgres.ts'
import { ensureRedisServer, type RedisService, startRedis } from '../../dev/services/redis.ts'
import { type Context, closeContext, openContext } from '../../domain/context.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { readCatalogue } from '../../domain/models/read-catalogue.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { migrate } from '../../platform/postgres/migrate.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'

/** The databases of a run, as `npm start` would have them: their own, durable, with nothing tuned. */
export interface Stores {
  postgres: PostgresService
  redis: RedisService
  /** The environment variables with which a process uses them. */
  environment: Record<string, string>
  context: Context
}

/** Starts PostgreSQL and Redis in `folder`, and prepares a database: migrated, with the catalogue applied. */
export async function startStores(folder: string, stack: AsyncDisposableStack): Promise<Stores> {
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  stack.defer(() => postgres.stop())
  const redis = await startRedis({ binary: await ensureRedisServer(), folder: join(folder, 'redis') })
  stack.defer(() => redis.stop())
  await createDatabase(postgres.urlOf('postgres'))

  const environment = {
    DATABASE_URL: postgres.urlOf('bench'),
    REDIS_URL: redis.url,
    REDIS_PREFIX: 'bench:',
    RATE_REQUESTS: '100000000',
    MEDIA_FOLDER: join(folder, 'media'),
  }
  const context = openContext(readConfig(environment), { name: 'bench', maxConnections: 2 })
  stack.defer(() => closeContext(context))
  await migrate(environment.DATABASE_URL, new URL('../../schema', import.meta.url).pathname)
  await applyCatalogue(
    context,
    await readCatalogue(new URL('../../schema/catalog', import.meta.url).pathname),
  )
  return { postgres, redis, environment, context }
}

async function createDatabase(url: string): Promise<void> {
  const sql = openPostgres({ url, name: 'bench', maxConnections: 1 })
  await sql`create database bench`
  await sql.end({ timeout: 1 })
}
