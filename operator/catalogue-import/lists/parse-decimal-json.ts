/**
 * Parses JSON without floats: each number becomes its text in the source, such as `2.5e-06`. Throws an Error if the text
 * is not JSON.
 */
export function parseDecimalJson(text: string): unknown {
  return JSON.parse(text, (...[, value, context]: [string, unknown, { source?: string }?]) =>
    typeof value === 'number' ? context?.source : value,
  )
}
