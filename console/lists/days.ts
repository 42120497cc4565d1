/**
 * Returns when the day `later` days after `day` begins in the reader's zone. Days are written as `2026-11-20`. Returns
 * `undefined` if `day` does not exist.
 */
export function startOf(day: string | undefined, later = 0): string | undefined {
  if (day === undefined || !/^[1-9]\d{3}-\d{2}-\d{2}$/.test(day)) return undefined
  const start = new Date(`${day}T00:00`)
  if (Number.isNaN(start.getTime()) || start.getDate() !== Number(day.slice(-2))) return undefined
  start.setDate(start.getDate() + later)
  return start.toISOString()
}

/** Returns a parameter of an address as a day, or `undefined` if it is none. */
export function dayIn(parameter: unknown): string | undefined {
  return typeof parameter === 'string' && startOf(parameter) !== undefined ? parameter : undefined
}
