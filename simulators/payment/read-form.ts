import { isRecord, type JsonRecord } from '../server/json.ts'

const maxDepth = 6
const maxFields = 500

/**
 * Parses a form in Stripe's format: `line_items[0][price_data][currency]=usd`. Lists become records with the names 0, 1,
 * and so on. Returns undefined above 6 levels or 500 fields, or if a name is both a value and a record.
 */
export function readForm(body: Buffer): JsonRecord | undefined {
  const fields = [...new URLSearchParams(body.toString())]
  if (fields.length > maxFields) return undefined
  const form = emptyRecord()
  for (const [name, value] of fields) {
    const path = name.replaceAll(']', '').split('[')
    if (path.length > maxDepth || !put(form, path, value)) return undefined
  }
  return form
}

function put(form: JsonRecord, path: string[], value: string): boolean {
  const [last = ''] = path.slice(-1)
  let record = form
  for (const name of path.slice(0, -1)) {
    const inner = record[name] ?? emptyRecord()
    if (!isRecord(inner)) return false
    record[name] = inner
    record = inner
  }
  if (record[last] !== undefined) return false
  record[last] = value
  return true
}

/** Returns a record without a prototype, so that any field name is safe. */
function emptyRecord(): JsonRecord {
  return Object.create(null)
}
