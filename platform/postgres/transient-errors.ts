/**
 * Whether a failed statement is worth sending again: lost connections, deadlocks and locks, a server that
 * restarts.
 */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error)
  return (
    /^(08|25P0|40|53|55P03|57)/.test(code) ||
    /^(CONNECTION_|CONNECT_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_)/.test(code)
  )
}

/** Whether the connection of a statement is gone: the server ended it, or the network. */
export function isLost(error: unknown): boolean {
  return /^(57P0[1-3]|08|CONNECTION_(CLOSED|DESTROYED|SILENT)|ECONN|EPIPE|ETIMEDOUT)/.test(codeOf(error))
}

/** Whether the server gave a statement up because it took too long. */
export function isGivenUp(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** Whether the statement waited too long for what others have locked. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

/** Whether one row is at fault (a value, a constraint, or one that is named twice), so that the batch without it would pass. */
export function isOfOneRow(error: unknown): boolean {
  return /^(21|22|23)/.test(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
