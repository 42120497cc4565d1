import postgres from 'postgres'

/** A postgres.js client whose `bigint` columns are `bigint` values. */
export type Sql = postgres.Sql<{ bigint: bigint }>

/** Inside `sql.begin`. */
export type SqlTransaction = postgres.TransactionSql<{ bigint: bigint }>

/**
 * Opens a pool. With `maxConnections: 1` statements run in the order in which they are given, each sent
 * without waiting for the one before. `onStatement` is told the text of each.
 */
export function openPostgres(options: {
  url: string
  name: string
  maxConnections?: number
  /** False saves a query with each connection, for a client that binds no arrays. */
  bindsArrays?: boolean
  /** The server gives a statement up after so long; never by default. */
  statementTimeoutMs?: number | undefined
  onStatement?: ((statement: string) => void) | undefined
}): Sql {
  const { onStatement } = options
  return postgres(options.url, {
    max: options.maxConnections ?? 10,
    idle_timeout: 0,
    connect_timeout: 10,
    max_lifetime: null,
    types: { bigint: postgres.BigInt },
    connection: {
      application_name: options.name,
      ...(options.statementTimeoutMs && { statement_timeout: options.statementTimeoutMs }),
    },
    fetch_types: options.bindsArrays ?? true,
    onnotice: () => {},
    ...(onStatement && { debug: (_connection, statement) => onStatement(statement) }),
  })
}
