/** A run of letters, or of spaces, is counted in pieces of at most so many UTF-16 units. */
export const longestRun = 64

/** A slice is at most so long. */
const longestSlice = 4_096

/**
 * Cuts a text where a run of spaces, or of anything else, grows too long: byte pair encoding takes the square of a
 * run's length, so that 64 kB of Chinese without a space would take ten seconds. What people write in words is cut at
 * spaces alone, which changes its count by nothing; a run that is cut counts a token more for each cut at most.
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
