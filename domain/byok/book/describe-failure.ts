import { splitConfig } from '../config/split-config.ts'
import type { Candidate } from './candidate.ts'

/** Why a vendor did not answer a candidate. */
export interface CandidateFailure {
  /** The vendor's HTTP status; absent where it did not answer at all. */
  status?: number | undefined
  /** The vendor's words, or ours. */
  message: string
}

/** Longer errors are cut. */
const maxLength = 300

/** Shorter texts are no secrets: they would be found in the middle of words. */
const shortestSecret = 4

/** A failure in a line: status and words, in which every secret of the credential reads `***`. */
export function describeFailure(
  { apiKey, config }: Pick<Candidate, 'apiKey' | 'config'>,
  { status, message }: CandidateFailure,
): string {
  let words = message
  for (const text of traces([apiKey, ...splitConfig(config).secrets.map(({ value }) => String(value))]))
    words = words.replaceAll(text, '***')
  const line = words.replaceAll(/[\p{Cc}\p{Zs}\p{Cs}]+/gu, ' ').trim()
  const told = status === undefined ? line : `${status}: ${line}`
  return told.length > maxLength ? `${told.slice(0, maxLength - 1)}…` : told
}

/** What a vendor's answer may repeat of secrets, longest first: as they are, line by line, and escaped. */
function traces(secrets: string[]): string[] {
  const texts = secrets.flatMap(secret => [
    secret,
    ...secret.split(/\r?\n|\\n/),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
  ])
  return [...new Set(texts)]
    .filter(text => text.length >= shortestSecret)
    .sort((one, other) => other.length - one.length)
}
