/** Where messages are sent below a base address, which may be given with its `/v1` or without. */
export function locateMessages(baseUrl: string): { origin: string; path: string } {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, path: `${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages` }
}
