/** Returns the reasons why a process cannot start, one line for each. */
export function explainFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, address, path } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (code === 'EADDRINUSE')
    return `port ${port} is in use: stop the process that listens there, or choose another`
  if (code === 'EACCES' && port !== undefined) return `port ${port} needs more rights: choose one above 1023`
  if (code === 'ECONNREFUSED')
    return `nothing answers at ${address ?? 'the address'}${port ? `:${port}` : ''}`
  if (code === 'ENOENT' && path !== undefined) return `there is nothing at ${path}`
  return error.message || error.name
}

/** Returns the text of any thrown value for a log line: its stack if it has one. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
