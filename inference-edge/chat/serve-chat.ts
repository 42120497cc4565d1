import type { Context } from 'koa'
import { admitChat } from '../../domain/inference/admit-chat.ts'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { Edge } from '../edge.ts'
import { answerOnce } from '../middleware/answer-once.ts'
import { problemIn } from '../middleware/answer-problems.ts'
import { askerOf, identifyCaller } from '../middleware/identify-caller.ts'
import { type Received, withBody } from '../middleware/receive-body.ts'
import { whileWaiting } from '../middleware/shed-load.ts'
import type { Conversation, Protocol } from '../protocols/protocol.ts'
import { watchClient } from '../sse/watch-client.ts'
import { answerStream } from './answer-stream.ts'
import { answerWhole } from './answer-whole.ts'
import { callVendors } from './call-vendors.ts'
import { type ChatRun, openChatRun } from './chat-run.ts'

/** Serves a chat request of any protocol: admit, perform, settle. With an `Idempotency-Key` it does so once. */
export async function serveChat(edge: Edge, ctx: Context, protocol: Protocol): Promise<void> {
  const key = await identifyCaller(edge, ctx)
  await withBody(edge, ctx, key, ({ json, ...received }) =>
    serveReceived(edge, ctx, { key, protocol, conversation: protocol.read(json), received }),
  )
}

async function serveReceived(
  edge: Edge,
  ctx: Context,
  { key, protocol, conversation, received }: Omit<ChatTask, 'keep'>,
): Promise<void> {
  try {
    await answerOnce(edge, ctx, { key, received }, (keep, allowed) =>
      performChat(edge, ctx, { key, protocol, conversation, received: { ...received, allowed }, keep }),
    )
  } catch (error) {
    throw conversation.renameParam(problemIn(error))
  }
}

interface ChatTask {
  key: CachedKey
  protocol: Protocol
  conversation: Conversation
  received: Omit<Received, 'json'>
  keep: ChatRun['keep']
}

async function performChat(
  edge: Edge,
  ctx: Context,
  { key, protocol, conversation, received, keep }: ChatTask,
): Promise<void> {
  const client = watchClient(ctx.res, { stays: keep !== undefined })
  try {
    const asked = {
      request: conversation.request,
      bodyBytes: received.bytes + (conversation.addedBytes ?? 0),
      task: protocol.task,
    }
    const admission = await admitChat(edge.inference, key, asked, {
      ...askerOf(edge, ctx, key),
      earlier: received.allowed,
    })
    const run = openChatRun(ctx, { route: protocol.route, conversation, admission, keep, client })
    const answer = conversation.request.stream ? answerStream : answerWhole
    await answer(edge, ctx, run, whileWaiting(edge.load, callVendors(edge, ctx, run)))
  } finally {
    client.cancellation.cancel()
  }
}
