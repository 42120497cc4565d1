/** Shorter texts are no secrets: they would be found in the middle of words. */
const shortestSecret = 4

/** What an `Authorization` header carries, whoever made it: the token of a service account is known to nobody else. */
const authorization = /\b(bearer|basic) +[\w.~+/=-]{20,}/gi

/** A text in which every trace of these secrets, and whatever an `Authorization` header carries, reads `***`. */
export function blankSecrets(text: string, secrets: readonly string[]): string {
  let blanked = text
  for (const trace of tracesOf(secrets)) blanked = blanked.replaceAll(trace, '***')
  return blanked.replaceAll(authorization, '$1 ***')
}

/** What somebody's answer may repeat of secrets, longest first: as they are, line by line, escaped and encoded. */
function tracesOf(secrets: readonly string[]): string[] {
  const traces = secrets.flatMap(secret => [
    secret,
    ...secret.split(/\r?\n|\\n/),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    Buffer.from(secret).toString('base64'),
  ])
  return [...new Set(traces)]
    .filter(trace => trace.length >= shortestSecret)
    .sort((one, other) => other.length - one.length)
}
