/** What a log line says of anything thrown: where it came from, as far as it is known. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
