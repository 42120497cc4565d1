import { isRecord } from '../../../platform/checks.ts'

/** Maximum number of values that are read at one path. */
const maxValues = 64

/**
 * Returns the values at a path in a vendor's answer: names joined by dots, with `*` for every item of a list
 * (`schema/catalog/queue.ts`). Returns none if the path does not exist.
 */
export function valuesAt(answer: unknown, path: string): unknown[] {
  let found: unknown[] = [answer]
  for (const name of path.split('.')) {
    found = found.flatMap(value => step(value, name)).slice(0, maxValues)
  }
  return found.filter(value => value !== undefined && value !== null)
}

function step(value: unknown, name: string): unknown[] {
  if (name === '*') return Array.isArray(value) ? value.slice(0, maxValues) : [value]
  if (Array.isArray(value)) return /^\d{1,2}$/.test(name) ? [value[Number(name)]] : []
  return isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : []
}

/** Returns the first text or number at any of these paths, as text that is not empty, or undefined. */
export function textAt(answer: unknown, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = valuesAt(answer, path).find(
      value => (typeof value === 'string' && value !== '') || Number.isSafeInteger(value),
    )
    if (found !== undefined) return String(found)
  }
  return undefined
}

/** Returns the first number at a path. It can be written as text. */
export function numberAt(answer: unknown, path: string): number | undefined {
  const [found] = valuesAt(answer, path)
  const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
