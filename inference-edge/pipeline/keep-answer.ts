import type { Standing } from '../../domain/allowances/allowances.ts'
import { trySpend } from '../../domain/allowances/spend.ts'
import type { KeptAnswer } from '../../domain/idempotency/claim-key.ts'
import type { OnceRequest } from '../../domain/idempotency/run-once.ts'
import type { Edge } from '../edge.ts'
import { answerTooLongToKeep } from './claim-idempotency.ts'

/** Longest answer that is kept under an `Idempotency-Key`, in bytes. Each is a row of Postgres. */
const maxBytes = 4 << 20
/**
 * The same for an answer of an own credential, whose bytes the account does not pay for. Not an allowance: it bounds one row.
 * The allowance `kept_answer_bytes` bounds the account.
 */
const maxOwnBytes = 65_536

/** How an answer is kept, and for which account. */
interface Keeping {
  keep: OnceRequest['keep'] | undefined
  standing: Standing
}

/** Returns how the answer of a run is kept. */
export function keepingOf(run: {
  keep: OnceRequest['keep'] | undefined
  admission: { allowed: { key: Standing } }
}): Keeping {
  return { keep: run.keep, standing: run.admission.allowed.key }
}

/** Returns the length up to which an answer is kept, in bytes: zero if the client sent no `Idempotency-Key`. */
export function maxKeptBytes(keep: OnceRequest['keep'] | undefined, byokId: string | undefined): number {
  if (!keep) return 0
  return byokId ? maxOwnBytes : maxBytes
}

/**
 * Keeps an answer for later tries, before its last bytes are sent. An answer that is too long, or exceeds the account's
 * allowance, is remembered without its body: it was delivered and charged, so another try gets an error, and neither
 * runs nor is charged. Resolves to the answer of another process if that kept one first.
 */
export async function keepAnswer(
  edge: Edge,
  { keep, standing }: Keeping,
  answered: { contentType: string; body: Buffer | undefined; byokId: string | undefined },
): Promise<KeptAnswer | undefined> {
  if (!keep) return undefined
  const { contentType, body, byokId } = answered
  const isShort = body !== undefined && body.length <= maxKeptBytes(keep, byokId)
  const { allowances } = edge.inference.context
  const resource = 'kept_answer_bytes'
  const isKept = isShort && (await trySpend(allowances, standing, { resource, amount: body.length }))
  const answer: KeptAnswer = isKept ? { status: 200, contentType, body } : answerTooLongToKeep
  const kept = await keep(answer)
  return kept === answer || kept.status !== 200 ? undefined : kept
}
