/** A value of one column; null is SQL's null. */
export type Column = string | number | bigint | boolean | null

/**
 * Rows as the text of an array of a composite type, to bind as `$1::text::some_type[]`: Postgres reads a wide
 * row so at a fourth of what the same row costs as JSON (4.5 µs against 18 µs for 27 columns).
 */
export function rowsText(rows: Column[][]): string {
  let text = '{'
  for (let at = 0; at < rows.length; at++) text += `${at > 0 ? ',' : ''}"${rowText(rows[at]!)}"`
  return `${text}}`
}

/** A row within an array: what quotes it there is escaped already. */
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

/** A quote is doubled within a row and escaped within an array, a backslash is doubled by both. */
function columnText(value: string): string {
  if (plain.test(value)) return value
  return `\\"${special.test(value) ? escaped(value) : value}\\"`
}

/** Twice with a text for each character: that costs two thirds of one pass with a function. */
function escaped(value: string): string {
  return value.replace(backslashes, '\\\\\\\\').replace(quotes, '\\"\\"')
}

const plain = /^[\w.:;/ -]+$/
const special = /["\\]/
const backslashes = /\\/g
const quotes = /"/g
