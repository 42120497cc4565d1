/**
 * The classes of SQLSTATE for which a retry is pointless, because the error is caused by the rows (21, 22, 23), by the
 * statement (42), or by an exception of a function or trigger (P0).
 */
const finalClasses = /^(21|22|23|42|P0)/

/** A SQLSTATE begins with a digit or with one of four letters; the codes of Node and of the driver do not. */
const sqlState = /^[0-9FHPX][0-9A-Z]{4}$/

/** Codes of Node and of the driver for a server that cannot be reached, or a connection that was lost. */
const unreachable =
  /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ERR_SSL_|ERR_TLS_)/

/**
 * Whether a failed statement should be retried. True for every error of PostgreSQL or the network outside of the final
 * classes: a server that restarts, fails over, or is full accepts the statement later. False for errors of Rubicon's
 * own code, which have no such code.
 */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error)
  return sqlState.test(code) ? !finalClasses.test(code) : unreachable.test(code)
}

/** Whether the connection of a statement is lost, because the server or the network ended it. */
export function isLost(error: unknown): boolean {
  return /^(57P0[1-5]|08|CONNECTION_(CLOSED|DESTROYED|SILENT)|ECONN|EPIPE|ETIMEDOUT)/.test(codeOf(error))
}

/**
 * Whether the server accepts no writes: the primary before a failover, or a standby after it. The primary may now be
 * another server behind the same address, which only a new connection reaches.
 */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** Whether the server cancelled a statement because it took too long. */
export function isGivenUp(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** Whether the statement waited too long for a lock of another transaction. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

/** Whether a single row caused the error (a value, a constraint, a duplicate), so that the batch without it would succeed. */
export function isOfOneRow(error: unknown): boolean {
  return /^(21|22|23)/.test(codeOf(error))
}

/** Returns the error's code, such as the SQLSTATE that Postgres reports; empty for other errors. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
