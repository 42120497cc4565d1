import type postgres from 'postgres'

/** A statement of the driver. It is sent when it is awaited, or becomes a part of another statement. */
export type Statement = postgres.PendingQuery<postgres.Row[]>

/** Sends a statement. */
export type Send = (statement: Statement) => void

/**
 * Returns the same `sql`, but its statements are passed to `send` when they are awaited, together with the driver's own
 * function that sends them. The driver stores that function as `handler` of a statement.
 */
export function divert<Kind extends postgres.ISql<{ bigint: bigint }>>(
  sql: Kind,
  send: (statement: Statement, sendIt: Send) => void,
  own: object = {},
): Kind {
  const diverted = (made: unknown) => {
    if (made instanceof Promise) {
      const sendIt: Send = Reflect.get(made, 'handler')
      Reflect.set(made, 'handler', (statement: Statement) => send(statement, sendIt))
    }
    return made
  }
  const unsafe = (...args: Parameters<typeof sql.unsafe>) => diverted(Reflect.apply(sql.unsafe, sql, args))
  const changed = { unsafe, ...own }
  return new Proxy(sql, {
    apply: (_, self, args) => diverted(Reflect.apply(sql, self, args)),
    get: (_, name) => (Object.hasOwn(changed, name) ? Reflect.get(changed, name) : Reflect.get(sql, name)),
  })
}
