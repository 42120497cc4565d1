import type { ChatReply } from '../../upstreams/call/call-chat.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { keepAnswer, keepingOf, maxKeptBytes } from '../pipeline/keep-answer.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { ClientStream } from '../sse/client-stream.ts'
import { openOutbox } from '../sse/outbox.ts'
import { beginAnswer, type ChatRun, endFailed, settleChatRun } from './chat-run.ts'
import { forwardStream } from './forward-stream.ts'

const contentType = 'text/event-stream; charset=utf-8'

/**
 * Answers as a stream: every chunk as it comes, the last ones when the charge is durable; what came together with the
 * vendor's end leaves with them, in one write. Headers wait for the vendor's first chunk, so that an early failure
 * keeps its HTTP status, but not for longer than `keepAliveMs`: a silent connection would be cut on the way. A stream
 * that breaks before its client has any of it costs nothing; later, and when the client leaves, what was produced is
 * charged.
 */
export async function answerStream(
  edge: Edge,
  ctx: EdgeContext,
  run: ChatRun,
  calling: Promise<ChatReply>,
): Promise<void> {
  const presenter = run.conversation.openPresenter(run.record)
  const stays = run.keep !== undefined
  const outbox = openOutbox({
    maxKeptBytes: () => maxKeptBytes(run.keep, run.reply?.target.byokId),
    onKept: bytes => ctx.state.share?.addBytes(bytes),
  })
  const keepAlive = () => {
    run.inSilence?.()
    return outbox.take(presenter.keepAlive())
  }
  const { stalledReaderMs, keepAliveMs } = edge.config
  const onUnread = (bytes: number) => ctx.state.share?.addBytes(bytes)
  const client = new ClientStream(ctx.res, { stalledReaderMs, keepAliveMs, keepAlive, stays, onUnread })
  const end = (frames: string) => {
    const ending = client.end(frames)
    return ending && whileWaiting(edge.load, ending)
  }
  let begun = false
  const begin = () => {
    const known = { model: run.model.entry.model, usage: run.reply?.stream?.usage }
    if (!begun) outbox.add(presenter.begin(known))
    begun = true
  }
  const open = () => {
    ctx.respond = false
    if (!client.isOpen) client.open()
  }
  const patience = setTimeout(() => {
    begin()
    open()
    client.send(keepAlive())
  }, keepAliveMs)
  try {
    const reply = await calling.finally(() => clearTimeout(patience))
    beginAnswer(run, reply)
    const stream = reply.stream!
    begin()
    const endsMeaningfully = await whileWaiting(
      edge.load,
      forwardStream(edge, run, {
        stream,
        presenter,
        add: outbox.add,
        send() {
          open()
          return client.write(outbox.take())
        },
      }),
    )
    const { usage, isUsageFinal } = stream
    await settleChatRun(edge, run, { ending: 'answered', endsMeaningfully, usage, isUsageFinal })
    const last = outbox.take(presenter.end(run.record.usage))
    if (stays)
      await keepAnswer(edge, keepingOf(run), {
        contentType,
        body: outbox.kept(),
        byokId: run.reply?.target.byokId,
      })
    open()
    await end(last)
  } catch (error) {
    const { problem, isCharged } = await endFailed(edge, ctx, run, error)
    if (problem && !client.isOpen) throw error
    ctx.respond = false
    if (!problem) return
    const last = outbox.take(presenter.fail(problem))
    if (isCharged && stays)
      await keepAnswer(edge, keepingOf(run), {
        contentType,
        body: outbox.kept(),
        byokId: run.reply?.target.byokId,
      })
    await end(last)
  }
}
