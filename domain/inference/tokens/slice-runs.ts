/** Maximum length of a run of letters, or of spaces, that is counted in one piece, in UTF-16 units. */
export const longestRun = 64

/** Maximum length of a slice, in UTF-16 units. */
const longestSlice = 4_096

/**
 * Cuts a text where a run of spaces, or of other characters, is too long. The time of byte pair encoding is quadratic in
 * the length of a run: 64 kB of Chinese without a space would take ten seconds. Ordinary text is cut at spaces only, which
 * does not change its count. Each cut of a run adds at most one token.
 */
export function* sliceRuns(text: string): Iterable<string> {
  let start = 0
  let runStart = 0
  let wasSpace = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const isSpace = unit <= 0x20 || unit === 0xa0 || unit === 0x3000
    if (isSpace !== wasSpace) {
      wasSpace = isSpace
      runStart = at
      if (at - start < longestSlice - longestRun || !isSpace) continue
    } else if (at - runStart < longestRun) continue
    const end = isLowSurrogate(unit) ? at - 1 : at
    yield text.slice(start, end)
    start = end
    runStart = end
  }
  if (start < text.length) yield text.slice(start)
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
