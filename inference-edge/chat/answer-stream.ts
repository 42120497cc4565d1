import type { ChatStream } from '../../upstreams/call/chat-stream.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { keepAnswer, maxKeptBytes } from '../pipeline/keep-answer.ts'
import type { Failed, PaidRun } from '../pipeline/paid-kind.ts'
import type { StreamPresenter } from '../protocols/protocol.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { ClientStream } from '../sse/client-stream.ts'
import { type Outbox, openOutbox } from '../sse/outbox.ts'
import { callVendors } from './call-vendors.ts'
import { beginAnswer, type ChatRun, chargedUsage, settleFailedRun, settleRun } from './chat-run.ts'
import { forwardStream } from './forward-stream.ts'

const contentType = 'text/event-stream; charset=utf-8'

/**
 * Returns the steps of a chat request whose response is streamed. Each chunk is sent when it arrives. The last chunks
 * are sent when the charge is durable, in one write with everything that arrived together with the end of the vendor's
 * stream. Headers are sent with the vendor's first chunk, so that an early failure keeps its HTTP status, but after
 * `keepAliveMs` at the latest, because proxies cut silent connections. A stream that breaks before its client has
 * received a part of it costs nothing. After that, or if the client disconnects, the produced output is charged.
 */
export function answerStream(edge: Edge, ctx: EdgeContext, run: ChatRun): PaidRun {
  const response = openResponse(edge, ctx, run)
  const { presenter, outbox } = response
  let stream!: ChatStream
  let endsMeaningfully = false
  return {
    state: run,
    async attempt() {
      response.client.keepAlive()
      const reply = await whileWaiting(edge.load, callVendors(edge, ctx, run))
      beginAnswer(run, reply)
      stream = reply.stream!
      response.begin()
      const { add } = outbox
      const forwarding = forwardStream(edge, run, { stream, presenter, add, send: response.send })
      endsMeaningfully = await whileWaiting(edge.load, forwarding)
    },
    settle() {
      const { usage, isUsageFinal } = stream
      return settleRun(edge, run, { ending: 'answered', endsMeaningfully, usage, isUsageFinal })
    },
    async respond() {
      const last = outbox.take(presenter.end(chargedUsage(run)))
      await keepStream(edge, run, outbox)
      await response.end(last)
    },
    settleFailed: failure => settleFailedRun(edge, run, failure),
    async breakOff({ problem, charge }: Failed) {
      if (!response.client.isOpen || !problem) return false
      const usage = charge === 'durable' ? chargedUsage(run) : undefined
      const last = outbox.take(presenter.fail(problem, usage))
      if (charge !== 'none') await keepStream(edge, run, outbox)
      await response.end(last)
      return true
    },
  }
}

/** The response to a stream's client. */
interface StreamResponse {
  presenter: StreamPresenter
  outbox: Outbox
  client: ClientStream
  /** Adds the first frames, once. */
  begin(): void
  /**
   * Sends the frames of the outbox. Resolves to whether the client accepted them without back-pressure. Throws
   * ClientGone.
   */
  send(): Promise<boolean>
  /** Sends the last frames. Resolves when the client has read them. */
  end(frames: string): Promise<void>
}

function openResponse(edge: Edge, ctx: EdgeContext, run: ChatRun): StreamResponse {
  const presenter = run.conversation.openPresenter(run.record)
  const outbox = openOutbox({
    maxKeptBytes: () => maxKeptBytes(run.keep, run.reply?.target.byokId),
    onKept: bytes => ctx.state.share?.addBytes(bytes),
  })
  const keepAlive = () => {
    begin()
    run.onSilence?.()
    return outbox.take(presenter.keepAlive())
  }
  const { stalledReaderMs, keepAliveMs } = edge.limits
  const outlivesClient = run.keep !== undefined
  const onUnread = (bytes: number) => ctx.state.share?.addBytes(bytes)
  const options = { stalledReaderMs, keepAliveMs, keepAlive, outlivesClient, onUnread }
  const client = new ClientStream(ctx.res, options)
  ctx.respond = false
  let hasBegun = false
  const begin = () => {
    if (!hasBegun)
      outbox.add(presenter.begin({ model: run.model.entry.model, usage: run.reply?.stream?.usage }))
    hasBegun = true
  }
  return {
    presenter,
    outbox,
    client,
    begin,
    send: () => client.write(outbox.take()),
    async end(frames) {
      const ending = client.end(frames)
      if (ending) await whileWaiting(edge.load, ending)
    },
  }
}

/** Stores the frames of a stream for repeats. */
async function keepStream(edge: Edge, run: ChatRun, outbox: Outbox): Promise<void> {
  const { keep, reply, admission } = run
  if (!keep) return
  const standing = admission.allowed.key
  const byokId = reply?.target.byokId
  await keepAnswer(edge, { keep, standing, contentType, body: outbox.kept(), byokId })
}
