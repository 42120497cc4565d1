import type { KeptAnswer } from '../../domain/idempotency/claim-key.ts'
import { tooLongToKeep } from '../middleware/answer-once.ts'
import type { ChatRun } from './chat-run.ts'

/** An answer of more bytes is not kept under an `Idempotency-Key`; of a customer's own vendor less is. */
const mostBytes = 4 << 20
const mostOwnBytes = 1 << 20

/** How many bytes of the answer of a run are kept: none where the client sent no `Idempotency-Key`. */
export function mostKeptBytes({ keep, reply }: ChatRun): number {
  if (!keep) return 0
  return reply?.target.byokId ? mostOwnBytes : mostBytes
}

/**
 * Keeps an answer for whoever asks again, before its last bytes leave. One that is too long is remembered as such: it
 * was delivered and charged, so another try is told that, and neither runs nor is charged. Resolves to the answer that
 * stands where another process has kept one first.
 */
export async function keepAnswer(
  run: ChatRun,
  { contentType, body }: { contentType: string; body: Buffer | undefined },
): Promise<KeptAnswer | undefined> {
  if (!run.keep) return undefined
  const isShort = body !== undefined && body.length <= mostKeptBytes(run)
  const answer: KeptAnswer = isShort ? { status: 200, contentType, body } : tooLongToKeep
  const standing = await run.keep(answer)
  return standing === answer || standing.status !== 200 ? undefined : standing
}
