import { admitChat, readDemand } from '../../domain/inference/admit-chat.ts'
import { problemIn } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { answerOnce } from '../pipeline/claim-idempotency.ts'
import { checkRates } from '../pipeline/count-request.ts'
import { identifyCaller } from '../pipeline/identify-caller.ts'
import { withBody } from '../pipeline/receive-body.ts'
import { watchClient } from '../pipeline/watch-client.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { answerStream } from './answer-stream.ts'
import { answerWhole } from './answer-whole.ts'
import { callVendors } from './call-vendors.ts'
import { openChatRun } from './chat-run.ts'

/**
 * Serves a chat request of any protocol, from the key to the charge: identify, read, replay, admit, call, answer,
 * settle. `answerWhole` and `answerStream` settle before the last bytes leave. With an `Idempotency-Key` all from
 * `admit` on happens once. Throws what is told to the client.
 */
export async function serveChat(edge: Edge, ctx: EdgeContext, protocol: Protocol): Promise<void> {
  const { inference } = edge
  const { record } = ctx.state
  const identified = identifyCaller(edge, ctx)
  const key = identified instanceof Promise ? await identified : identified
  await withBody(edge, ctx, key, ({ json, bytes, fingerprint, allowed }) => {
    const conversation = protocol.read(json)
    const { request, addedBytes = 0 } = conversation
    const received = { fingerprint, allowed }
    const answered = answerOnce(edge, ctx, { key, received }, async (keep, earlier) => {
      const client = watchClient(ctx.res, { stays: keep !== undefined })
      try {
        const bodyBytes = bytes + addedBytes
        const demand = readDemand(inference, key, { request, bodyBytes, task: protocol.task })
        const checked = checkRates(edge, ctx, key, { tokens: demand.rateTokens, earlier })
        const allowed = checked instanceof Promise ? await checked : checked
        const admission = admitChat(inference, demand, allowed)
        record.route = protocol.route
        const run = openChatRun(record, { conversation, admission, keep, client })
        const calling = whileWaiting(edge.load, callVendors(edge, ctx, run))
        await (request.stream ? answerStream : answerWhole)(edge, ctx, run, calling)
      } finally {
        client.cancellation.cancel()
      }
    })
    return answered.catch(error => {
      throw conversation.renameParam(problemIn(error))
    })
  })
}
