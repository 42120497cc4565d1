/** The beginning of a formula, which spreadsheets also find after spaces, controls and in full-width forms. */
const formula = /^[\s\p{C}\p{Z}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

/**
 * One line of CSV (RFC 4180). Null is empty. A text that a spreadsheet would run as a formula gets an apostrophe before
 * it: end users and models are texts that clients choose.
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
