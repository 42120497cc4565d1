import type { Context } from 'koa'
import { admitChat } from '../../domain/inference/admit-chat.ts'
import type { KeyCopy } from '../../domain/keys/key-copy.ts'
import { parseJson } from '../../platform/http/parse-json.ts'
import { readBody } from '../../platform/http/read-body.ts'
import { answerOnce } from '../door/answer-once.ts'
import { problemIn } from '../door/answer-problems.ts'
import { doorOf, identifyCaller } from '../door/identify-caller.ts'
import { enterKey } from '../door/shed-load.ts'
import type { Edge } from '../edge.ts'
import type { Conversation, Protocol } from '../protocols/protocol.ts'
import { watchClient } from '../sse/watch-client.ts'
import { type Act, openAct } from './act.ts'
import { answerStream } from './answer-stream.ts'
import { answerWhole } from './answer-whole.ts'
import { callVendors } from './call-vendors.ts'

/** Serves a chat request of any protocol: admit, perform, settle. With an `Idempotency-Key` it does so once. */
export async function serveChat(edge: Edge, ctx: Context, protocol: Protocol): Promise<void> {
  const key = await identifyCaller(edge, ctx)
  const leave = enterKey(edge.load, edge.config, key.keyId)
  try {
    const body = await readBody(ctx.req, edge.config.bodyLimitBytes)
    const conversation = protocol.read(parseJson(body))
    const perform = (keep: Act['keep']) =>
      performChat(edge, ctx, { key, protocol, conversation, bodyBytes: body.length, keep })
    await answerOnce(edge, ctx, { key, body }, perform).catch(error => {
      throw conversation.spell(problemIn(error))
    })
  } finally {
    leave()
  }
}

interface ChatTask {
  key: KeyCopy
  protocol: Protocol
  conversation: Conversation
  bodyBytes: number
  keep: Act['keep']
}

async function performChat(
  edge: Edge,
  ctx: Context,
  { key, protocol, conversation, bodyBytes, keep }: ChatTask,
): Promise<void> {
  const line = watchClient(ctx.res, { stays: keep !== undefined })
  try {
    const asked = { request: conversation.request, bodyBytes }
    const admission = await admitChat(edge.inference, key, asked, doorOf(edge, ctx, key))
    const act = openAct(ctx, { route: protocol.route, conversation, admission, keep })
    const answer = conversation.request.stream ? answerStream : answerWhole
    await answer(edge, ctx, act, callVendors(edge, ctx, act, line))
  } finally {
    line.cut()
  }
}
