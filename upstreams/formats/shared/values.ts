import { UpstreamFailure } from '../../upstream-failure.ts'

const [quote, backslash] = [0x22, 0x5c]

/** `[`, `{`, `,` and `:`. Every value and every name follows one of them. */
const separators = new Set([0x5b, 0x7b, 0x2c, 0x3a])

/**
 * Counts the values of a JSON text in one pass, without parsing it. Parsing a few megabytes of `[],` takes seconds,
 * while a single string of that size costs nothing. Throws `broken` if there are more than `limit`.
 */
export function checkValues(json: Buffer, limit: number): void {
  if (json.length <= limit) return
  let values = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === quote) at = endOfString(json, at)
    else if (separators.has(byte) && ++values > limit)
      throw new UpstreamFailure('broken', { message: `the answer has more than ${limit} values` })
  }
}

/** Returns the position of the closing quote of the string that begins at `start`. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end !== -1; end = json.indexOf(quote, end + 1)) {
    let first = end
    while (json[first - 1] === backslash) first -= 1
    if ((end - first) % 2 === 0) return end
  }
  return json.length
}
