import type { Json, JsonRecord } from '../server/json.ts'

/** The deepest a parameter may nest, and how many there may be. */
const maxDepth = 6
const maxFields = 500

/**
 * Reads a form as Stripe writes it: `line_items[0][price_data][currency]=usd`. Lists are records with the
 * names 0, 1, …; every value is text. Undefined where it nests too deep, has too many fields, or a name is
 * used for a value and for a record.
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
    if (!isPlain(inner)) return false
    record[name] = inner
    record = inner
  }
  if (record[last] !== undefined) return false
  record[last] = value
  return true
}

/** A record that inherits nothing: whatever clients call their fields. */
function emptyRecord(): JsonRecord {
  return Object.create(null)
}

function isPlain(value: Json): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
