/** What is shown of a vendor's key: of a long one its beginning and end, never more than a quarter in all. */
export function maskKey(apiKey: string): string {
  const shown = Math.floor(apiKey.length / 4)
  const tail = Math.min(4, Math.floor(shown / 2))
  const head = Math.min(7, shown - tail)
  return `${apiKey.slice(0, head)}…${apiKey.slice(apiKey.length - tail)}`
}
