/** The simulator's one idea of a token: four characters (UTF-16 units) of text, the last one perhaps fewer. */
export const charactersPerToken = 4

/** How many tokens a text is. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken)
}

/** The first tokens of a text, without half of a surrogate pair at its end. */
export function takeTokens(text: string, tokenCount: number): string {
  if (countTokens(text) <= tokenCount) return text
  const end = tokenCount * charactersPerToken
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
