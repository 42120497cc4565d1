import type { Context } from 'koa'
import type { ChatReply } from '../../upstreams/call-chat.ts'
import type { ChatStream } from '../../upstreams/chat-stream.ts'
import type { Edge } from '../edge.ts'
import type { StreamPresenter } from '../protocols/protocol.ts'
import { openClientStream } from '../sse/client-stream.ts'
import { type Act, endFailed, settleAct } from './act.ts'
import { countProduced, endsMeaningfully } from './count-produced.ts'

/**
 * Answers as a stream: every chunk as it comes, the last ones when the charge is durable; what came together with the
 * vendor's end leaves with them, in one write. Headers wait for the vendor's first chunk, so that an early failure
 * keeps its HTTP status, but not for longer than `keepAliveMs`: a silent connection would be cut on the way. A stream
 * that breaks costs nothing; a client that leaves pays for what was produced.
 */
export async function answerStream(
  edge: Edge,
  ctx: Context,
  act: Act,
  calling: Promise<ChatReply>,
): Promise<void> {
  const presenter = act.conversation.openPresenter(act)
  const stays = act.keep !== undefined
  const client = openClientStream(ctx.res, { ...edge.config, keepAlive: presenter.keepAlive, stays })
  const sent: string[] = []
  let begun = false
  const begin = () => {
    if (begun) return ''
    begun = true
    return presenter.begin()
  }
  const open = () => {
    ctx.respond = false
    if (!client.isOpen) client.open()
  }
  const patience = setTimeout(() => {
    const frames = begin()
    if (stays) sent.push(frames)
    open()
    client.send(frames + presenter.keepAlive())
  }, edge.config.keepAliveMs)
  try {
    act.reply = await calling.finally(() => clearTimeout(patience))
    act.firstByteMs = Date.now() - act.startedAt
    const stream = act.reply.stream!
    const write = (frames: string) => {
      if (stays) sent.push(frames)
      open()
      return client.write(frames)
    }
    const { isCharged, unsent } = await forward(act, stream, presenter, { unsent: begin(), write })
    const settled = await settleAct(edge, ctx, act, { usage: stream.usage, isCharged })
    const last = unsent + presenter.end(settled.usage)
    await act.keep?.({
      status: 200,
      contentType: 'text/event-stream; charset=utf-8',
      body: Buffer.from(sent.join('') + last),
    })
    open()
    client.end(last)
  } catch (error) {
    const problem = await endFailed(edge, ctx, act, error)
    if (problem && !client.isOpen) throw error
    ctx.respond = false
    if (problem) client.end(presenter.fail(problem))
  }
}

/** Sends chunks on as they come; answers whether there was anything in them, and what waits for the last ones. */
async function forward(
  act: Act,
  stream: ChatStream,
  presenter: StreamPresenter,
  { unsent, write }: { unsent: string; write: (frames: string) => Promise<void> },
): Promise<{ isCharged: boolean; unsent: string }> {
  let frames = unsent
  let ended = false
  for (let chunks = await stream.read(); chunks; chunks = await stream.read()) {
    for (const chunk of chunks) {
      act.producedCharacters += countProduced(chunk)
      ended ||= endsMeaningfully(chunk)
      frames += presenter.chunk(chunk)
    }
    if (stream.isOver) continue
    await write(frames)
    frames = ''
  }
  return { isCharged: act.producedCharacters > 0 || ended, unsent: frames }
}
