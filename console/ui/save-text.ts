/** Saves a text as a file with a name, without a request. */
export function saveText(content: string, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/plain' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  // The browser has started to read the content in the same turn.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
