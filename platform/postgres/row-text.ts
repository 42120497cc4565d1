/** A value of one column; null is SQL's null. */
export type Column = string | number | bigint | boolean | null

/**
 * Rows as the text of an array of a composite type, to bind as `$1::text::some_type[]`: Postgres reads a wide row so
 * at a fourth of what the same row costs as JSON (4.5 µs against 18 µs for 27 columns).
 */
export function rowsText(rows: Column[][]): string {
  return `{${rows.map(row => quote(rowText(row))).join(',')}}`
}

function rowText(row: Column[]): string {
  let text = '('
  for (let at = 0; at < row.length; at++) {
    if (at > 0) text += ','
    const value = row[at]
    if (value === null || value === undefined) continue
    text += typeof value === 'string' ? columnText(value) : value
  }
  return `${text})`
}

function columnText(value: string): string {
  return plain.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '""')}"`
}

function quote(text: string): string {
  return `"${special.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('"', '\\"') : text}"`
}

const plain = /^[\w.:/-]+$/
const special = /["\\]/
