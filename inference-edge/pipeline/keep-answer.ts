import type { Standing } from '../../domain/allowances/allowances.ts'
import { trySpend } from '../../domain/allowances/spend.ts'
import type { KeptAnswer } from '../../domain/idempotency/claim-key.ts'
import type { KeepAnswer } from '../../domain/idempotency/run-once.ts'
import type { Edge } from '../edge.ts'

/** The value that is stored in place of a response that is too long. */
export const answerTooLongToKeep: KeptAnswer = {
  status: 422,
  contentType: 'application/vnd.rubicon.too-long',
  body: Buffer.alloc(0),
}

/** Maximum length of a response that is stored for an `Idempotency-Key`, in bytes. Each is a row of Postgres. */
const maxBytes = 4 << 20
/**
 * The same limit for a response that was made with the account's own credential, for which the account does not pay.
 * The allowance `kept_answer_bytes` limits the sum per account.
 */
const maxOwnBytes = 65_536

/** A response to store, with its request and account. */
interface Keeping {
  keep: KeepAnswer | undefined
  standing: Standing
  contentType: string
  /** The body; undefined if it is too long. */
  body: Buffer | undefined
  /** The ID of the account's own credential that produced the response. */
  byokId: string | undefined
}

/** Returns the length up to which a response is stored, in bytes: zero if the client sent no `Idempotency-Key`. */
export function maxKeptBytes(keep: KeepAnswer | undefined, byokId: string | undefined): number {
  if (!keep) return 0
  return byokId ? maxOwnBytes : maxBytes
}

/**
 * Stores a response for repeats, before its last bytes are sent. If the response is too long or exceeds the account's
 * allowance, only its delivery is recorded, and a repeat fails without running. Resolves to the stored response if
 * another process has stored one first.
 */
export async function keepAnswer(
  edge: Edge,
  { keep, standing, contentType, body, byokId }: Keeping,
): Promise<KeptAnswer | undefined> {
  if (!keep) return undefined
  const isShort = body !== undefined && body.length <= maxKeptBytes(keep, byokId)
  const { allowances } = edge.inference.context
  const resource = 'kept_answer_bytes'
  const isKept = isShort && (await trySpend(allowances, standing, { resource, amount: body.length }))
  const answer: KeptAnswer = isKept ? { status: 200, contentType, body } : answerTooLongToKeep
  const kept = await keep(answer)
  return kept === answer || kept.status !== 200 ? undefined : kept
}
