/** The text of every answer, which the load generator checks. */
export const answerText =
  'A gateway stands between many clients and many vendors. It knows whose key is calling, what that key may do, what ' +
  'the answer will cost at most, and it keeps the books so that neither side has to trust the other.'

/** The prompt tokens that every response reports. */
export const promptTokens = 96
export const outputTokens = 48

/** Returns the text in `count` pieces. */
export function cutText(count: number): string[] {
  const cut = (index: number) => Math.round((index * answerText.length) / count)
  return Array.from({ length: count }, (_, index) => answerText.slice(cut(index), cut(index + 1)))
}
