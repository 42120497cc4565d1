const shape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text that came from outside is a UUID: Postgres throws at anything else. */
export function isUuid(text: string): boolean {
  return shape.test(text)
}
