/** An error of the service, as the graph, `/api/v1` and `/v1` return it. */
export interface ServiceProblem {
  /** The name of the error, as docs/errors.md lists it. */
  name: string
  /** The service's English text. */
  message: string
  retryAfterSeconds?: number | undefined
}

/** The texts of errors in one language. */
export interface ProblemTexts {
  /** Texts of errors whose name says everything. */
  byName: ReadonlyMap<string, string>
  /** Texts of errors whose message says more than their name, by a pattern of the English message and its values. */
  byMessage: readonly (readonly [pattern: RegExp, text: (...values: string[]) => string])[]
  /** A sentence about the time after which to retry. */
  retryAfter(seconds: number): string
}

/** Returns the text of an error in one language. */
export function textIn(
  texts: ProblemTexts,
  { name, message, retryAfterSeconds = 0 }: ServiceProblem,
): string {
  const text = textByMessage(texts, message) ?? texts.byName.get(name) ?? message
  // A message with a time already says when to retry.
  return retryAfterSeconds > 0 && !/\d+ s(econds?)?\b/.test(message)
    ? `${text} ${texts.retryAfter(retryAfterSeconds)}`
    : text
}

function textByMessage({ byMessage }: ProblemTexts, message: string): string | undefined {
  for (const [pattern, text] of byMessage) {
    const match = pattern.exec(message)
    if (match) return text(...match.slice(1))
  }
  return undefined
}
