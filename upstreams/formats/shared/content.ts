const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/**
 * A data URI in base64: its type in small letters and its data; undefined for what is none. Types in
 * capitals, parameters and white space are tolerated, as vendors do.
 */
export function readDataUri(uri: string): { type: string; data: string } | undefined {
  if (!/^data:/i.test(uri)) return undefined
  const comma = uri.indexOf(',')
  const [type = '', ...parameters] = uri
    .slice('data:'.length, Math.max(comma, 0))
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const data = uri.slice(comma + 1).replace(/\s+/g, '')
  return parameters.includes('base64') && base64.test(data) ? { type, data } : undefined
}

/**
 * The comment that begins what one end user's requests have cached, where a vendor caches beginnings of
 * prompts and knows no partitions (docs/behaviour.md, Prompt caching). Constant for that end user, or nothing
 * would be found again.
 */
export function saltComment(cacheToken: string): string {
  return `<!-- cache partition ${cacheToken} -->`
}
