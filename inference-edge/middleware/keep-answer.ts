import type { KeptAnswer } from '../../domain/idempotency/claim-key.ts'
import type { OnceRequest } from '../../domain/idempotency/run-once.ts'
import { tooLongToKeep } from './answer-once.ts'

/** An answer of more bytes is not kept under an `Idempotency-Key`; of a customer's own vendor less is. */
const mostBytes = 4 << 20
const mostOwnBytes = 1 << 20

/** How many bytes of an answer are kept: none where the client sent no `Idempotency-Key`. */
export function mostKeptBytes(keep: OnceRequest['keep'] | undefined, byokId: string | undefined): number {
  if (!keep) return 0
  return byokId ? mostOwnBytes : mostBytes
}

/**
 * Keeps an answer for whoever asks again, before its last bytes leave. One that is too long is remembered as such: it
 * was delivered and charged, so another try is told that, and neither runs nor is charged. Resolves to the answer that
 * stands where another process has kept one first.
 */
export async function keepAnswer(
  keep: OnceRequest['keep'] | undefined,
  {
    contentType,
    body,
    byokId,
  }: { contentType: string; body: Buffer | undefined; byokId: string | undefined },
): Promise<KeptAnswer | undefined> {
  if (!keep) return undefined
  const isShort = body !== undefined && body.length <= mostKeptBytes(keep, byokId)
  const answer: KeptAnswer = isShort ? { status: 200, contentType, body } : tooLongToKeep
  const standing = await keep(answer)
  return standing === answer || standing.status !== 200 ? undefined : standing
}
