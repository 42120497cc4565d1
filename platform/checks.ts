/** Whether a value is an object with names, not null and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether Postgres and other services can store a text: it has no U+0000 and no lone surrogate. */
export function isText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

const shape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text from outside is a UUID. For any other text, Postgres throws an error. */
export function isUuid(text: string): boolean {
  return shape.test(text)
}
