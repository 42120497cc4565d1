/** A value of one column; null is SQL's null. */
export type Column = string | number | bigint | boolean | null

/**
 * Returns rows as the text of an array of a composite type, to bind as `$1::text::some_type[]`. Postgres reads a row of
 * 27 columns in 4.5 µs in this form, and in 18 µs as JSON.
 */
export function rowsText(rows: Column[][]): string {
  let text = '{'
  for (let at = 0; at < rows.length; at++) text += `${at > 0 ? ',' : ''}"${rowText(rows[at]!)}"`
  return `${text}}`
}

/** Returns the text of a row within an array, with the array's escapes. */
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

/** A quote is doubled within a row and escaped within an array. A backslash is doubled by both. */
function columnText(value: string): string {
  if (plain.test(value)) return value
  return `\\"${special.test(value) ? escaped(value) : value}\\"`
}

/** Two passes with constant replacements take two thirds of the time of one pass with a function. */
function escaped(value: string): string {
  return value.replace(backslashes, '\\\\\\\\').replace(quotes, '\\"\\"')
}

const plain = /^[\w.:;/ -]+$/
const special = /["\\]/
const backslashes = /\\/g
const quotes = /"/g
