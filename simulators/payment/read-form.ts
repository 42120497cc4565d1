import { isRecord, type JsonRecord } from '../server/json.ts'

/**
 * Parses a form in Stripe's format: `line_items[0][price_data][currency]=usd`. Lists become records with the names 0, 1,
 * and so on. The records have no prototype, so that any field name is safe.
 */
export function readForm(body: Buffer | string): JsonRecord {
  const form: JsonRecord = Object.create(null)
  for (const [name, value] of new URLSearchParams(body.toString())) {
    const path = name.replaceAll(']', '').split('[')
    const last = path.pop() ?? ''
    let record = form
    for (const field of path) {
      const inner = record[field]
      record = record[field] = isRecord(inner) ? inner : Object.create(null)
    }
    record[last] = value
  }
  return form
}
