import type { Context } from 'koa'
import { holdChat, outputTokensOf } from '../../domain/inference/admit-chat.ts'
import { cacheToken } from '../../domain/inference/cache-token.ts'
import { stillStands } from '../../domain/inference/still-stands.ts'
import type { ChatModel } from '../../domain/models/model-book.ts'
import { type Attempt, type ChatReply, callChat } from '../../upstreams/call-chat.ts'
import type { ChatCall } from '../../upstreams/chat-adapter.ts'
import type { Line } from '../../upstreams/http/line.ts'
import { platformTarget } from '../../upstreams/platform-target.ts'
import type { Edge } from '../edge.ts'
import type { Act } from './act.ts'

/**
 * Has an act's request answered: by the model asked for, else by its fallbacks, each with the platform's credential.
 * Before each try the key must still stand; money is held before the first try that costs some.
 * The model that answered is named in `x-model`.
 */
export async function callVendors(edge: Edge, ctx: Context, act: Act, line: Line): Promise<ChatReply> {
  const modelOf = new Map(act.admission.models.map(model => [model.entry, model]))
  const reply = await callChat(edge.upstreams, {
    attempts: act.admission.models.flatMap(model => attemptsOf(edge, model)),
    line,
    prepare: attempt => prepare(edge, act, attempt, modelOf.get(attempt.entry)!),
    ended: () => {},
  })
  act.model = modelOf.get(reply.attempt.entry)!
  ctx.set('x-model', act.model.entry.model)
  return reply
}

function attemptsOf(edge: Edge, { entry }: ChatModel): Attempt[] {
  const target = platformTarget(edge.config, entry, edge.inference.models.vendor(entry.provider))
  return target ? [{ entry, target }] : []
}

async function prepare(
  edge: Edge,
  act: Act,
  { entry, target }: Attempt,
  model: ChatModel,
): Promise<ChatCall> {
  const { inference } = edge
  const { admission, conversation } = act
  await stillStands(inference, admission.allowed)
  if (!target.byokId) await holdChat(inference, admission)
  const { request } = conversation
  return {
    entry,
    request: { ...request, model: entry.model },
    outputTokens: outputTokensOf(admission, model),
    cacheToken: cacheToken(inference.context, { accountId: admission.allowed.key.accountId, request }),
  }
}
