import { type AnyEntity, type EntityClass, type EntitySchema, MikroORM } from '@mikro-orm/postgresql'

export type Orm = MikroORM

/** Opens MikroORM over `entities`. It connects with the first statement; one fork of its `em` serves one request. */
export function openOrm(options: {
  url: string
  name: string
  entities: (EntityClass<AnyEntity> | EntitySchema)[]
  maxConnections?: number
  /** The server gives a statement up after so long; never by default. */
  statementTimeoutMs?: number
  /** Hears each statement, as a log does. */
  onStatement?: (statement: string) => void
}): Orm {
  const { onStatement } = options
  return new MikroORM({
    clientUrl: options.url,
    entities: options.entities,
    pool: { min: 0, max: options.maxConnections ?? 10 },
    driverOptions: {
      application_name: options.name,
      ...(options.statementTimeoutMs && { statement_timeout: options.statementTimeoutMs }),
    },
    ensureDatabase: false,
    ...(onStatement && { debug: ['query'], colors: false, logger: onStatement }),
  })
}
