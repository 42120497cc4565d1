/**
 * Matches the beginning of a formula. Spreadsheets also recognize formulas after spaces and control characters, and
 * with full-width characters.
 */
const formula = /^[\s\p{C}\p{Z}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

/**
 * Returns one line of CSV (RFC 4180). Null is an empty cell. Text that a spreadsheet would run as a formula is prefixed
 * with an apostrophe, because clients choose the names of end users and models.
 */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string')
    return quoted(typeof value === 'object' ? JSON.stringify(value) : String(value))
  return quoted(formula.test(value) ? `'${value}` : value)
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
