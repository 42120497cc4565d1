import type { Context } from 'koa'
import { admitChat } from '../../domain/inference/admit-chat.ts'
import { cacheToken } from '../../domain/inference/cache-token.ts'
import { stillStands } from '../../domain/inference/still-stands.ts'
import { callChat } from '../../upstreams/call-chat.ts'
import { platformTarget } from '../../upstreams/platform-target.ts'
import { identifyCaller } from '../door/identify-caller.ts'
import { readJson } from '../door/read-json.ts'
import { enterKey } from '../door/shed-load.ts'
import type { Edge } from '../edge.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { watchClient } from '../sse/watch-client.ts'
import { type Act, openAct } from './act.ts'
import { answerStream } from './answer-stream.ts'
import { answerWhole } from './answer-whole.ts'

/** Serves a chat request of any protocol: admit, perform, settle. */
export async function serveChat(edge: Edge, ctx: Context, protocol: Protocol): Promise<void> {
  const key = await identifyCaller(edge, ctx)
  const conversation = protocol.read(await readJson(ctx.req, edge.config.bodyLimitBytes))
  const leave = enterKey(edge.load, edge.config, key.keyId)
  const line = watchClient(ctx.res)
  try {
    const admission = await admitChat(edge.inference, key, conversation.request, headers => ctx.set(headers))
    const act = openAct(ctx, { route: protocol.route, conversation, admission })
    const answer = conversation.request.stream ? answerStream : answerWhole
    await answer(edge, ctx, act, callVendor(edge, act, line.signal))
  } finally {
    line.hangUp()
    leave()
  }
}

function callVendor(edge: Edge, { conversation: { request }, admission }: Act, signal: AbortSignal) {
  const { config, inference } = edge
  const { entry } = admission.model
  const target = platformTarget(config, entry, inference.models.vendor(entry.provider))
  const token = cacheToken(inference.context, { accountId: admission.allowed.key.accountId, request })
  return callChat(
    edge.upstreams,
    { entry, request, outputTokens: admission.outputTokens, cacheToken: token },
    { targets: target ? [target] : [], signal, mayTry: () => stillStands(inference, admission.allowed) },
  )
}
