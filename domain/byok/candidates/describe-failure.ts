import { blankSecrets } from '../../../platform/secrets/blank-secrets.ts'
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

/** A failure in a line: status and words, in which every secret of the credential reads `***`. */
export function describeFailure(
  { secrets }: Pick<Candidate, 'secrets'>,
  { status, message }: CandidateFailure,
): string {
  const words = blankSecrets(message, secrets)
  const line = words.replaceAll(/[\p{Cc}\p{Zs}\p{Cs}]+/gu, ' ').trim()
  const told = status === undefined ? line : `${status}: ${line}`
  return told.length > maxLength ? `${told.slice(0, maxLength - 1).toWellFormed()}…` : told
}
