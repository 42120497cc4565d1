import { recordLeaving } from '../../domain/ledger/request-record.ts'
import { SplicedJson } from '../../platform/json/spliced-json.ts'
import type { ChatAnswer } from '../../upstreams/chat-adapter.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import type { PaidRun } from '../pipeline/paid-kind.ts'
import { respondKept } from '../pipeline/respond-kept.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { callVendors } from './call-vendors.ts'
import { beginAnswer, type ChatRun, chargedUsage, settleFailedRun, settleRun } from './chat-run.ts'
import { endsMeaningfully, readProduced } from './read-produced.ts'

/**
 * Returns the steps of a chat request whose response is not streamed. The body is sent when its charge is durable. A
 * client that disconnects before that pays for the answer, by the vendor's count. A failure is not charged and has its
 * own HTTP status.
 */
export function answerWhole(edge: Edge, ctx: EdgeContext, run: ChatRun): PaidRun {
  let answer!: ChatAnswer
  return {
    state: run,
    async attempt() {
      const reply = await whileWaiting(edge.load, callVendors(edge, ctx, run))
      beginAnswer(run, reply)
      answer = reply.answer!
    },
    settle() {
      const { completion, usage } = answer
      run.produced.lastAt = edge.inference.context.clock.monotonic()
      readProduced(completion, run.produced.transcript, run.produced.thoughts)
      if (run.client.hasLeft) recordLeaving(run.record)
      return settleRun(edge, run, {
        ending: 'answered',
        endsMeaningfully: endsMeaningfully(completion),
        usage,
        isUsageFinal: true,
      })
    },
    async respond() {
      const { record, keep, conversation, admission, reply } = run
      const presented = conversation.presentWhole(answer.completion, chargedUsage(run), record)
      const body = presented instanceof SplicedJson ? await presented.print() : JSON.stringify(presented)
      const byokId = reply?.target.byokId
      return respondKept(edge, ctx, { body, keep, standing: admission.allowed.key, byokId })
    },
    settleFailed: failure => settleFailedRun(edge, run, failure),
  }
}
