/** Whether a text is one that Postgres and other services can keep: no U+0000, and no half of a character. */
export function isText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
