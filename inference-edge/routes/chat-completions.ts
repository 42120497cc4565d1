import type { Context } from 'koa'
import { admitChat } from '../../domain/inference/admit-chat.ts'
import { cacheToken } from '../../domain/inference/cache-token.ts'
import { parseChatRequest } from '../../domain/inference/parse-chat-request.ts'
import { presentUsage } from '../../domain/inference/present-usage.ts'
import { settleChat } from '../../domain/inference/settle-chat.ts'
import { stillStands } from '../../domain/inference/still-stands.ts'
import { callChat } from '../../upstreams/call-chat.ts'
import { platformTarget } from '../../upstreams/platform-target.ts'
import { type ChatAct, failChat, openAct, outcomeOf } from '../chat/chat-act.ts'
import { saysSomething } from '../chat/count-produced.ts'
import { streamChat } from '../chat/stream-chat.ts'
import { identifyCaller } from '../door/identify-caller.ts'
import { readJson } from '../door/read-json.ts'
import { enterKey } from '../door/shed-load.ts'
import type { Edge } from '../edge.ts'
import { watchClient } from '../sse/watch-client.ts'

/** `POST /v1/chat/completions`: admit, perform, settle (contract: Chat completions). */
export async function chatCompletions(edge: Edge, ctx: Context): Promise<void> {
  const key = await identifyCaller(edge, ctx)
  const request = parseChatRequest(await readJson(ctx.req, edge.config.bodyLimitBytes))
  const leave = enterKey(edge.load, edge.config, key.keyId)
  try {
    const admission = await admitChat(edge.inference, key, request, headers => ctx.set(headers))
    await perform(edge, ctx, openAct(ctx, request, admission))
  } finally {
    leave()
  }
}

async function perform(edge: Edge, ctx: Context, act: ChatAct): Promise<void> {
  const line = watchClient(ctx.res)
  try {
    act.reply = await callVendor(edge, act, line.signal)
    act.firstByteMs = Date.now() - act.startedAt
    if (act.reply.stream) await streamChat(edge, ctx, act, act.reply.stream)
    else await answerWhole(edge, ctx, act)
  } catch (error) {
    await failChat(edge, ctx, act, error)
  } finally {
    line.hangUp()
  }
}

function callVendor(edge: Edge, { request, admission }: ChatAct, signal: AbortSignal) {
  const { config, inference } = edge
  const { entry } = admission.model
  const target = platformTarget(config, entry, inference.models.vendor(entry.provider))
  const token = cacheToken(inference.context, { accountId: admission.allowed.key.accountId, request })
  return callChat(
    edge.upstreams,
    { entry, request, outputTokens: admission.outputTokens, cacheToken: token },
    {
      targets: target ? [target] : [],
      signal,
      mayTry: () => stillStands(inference, admission.allowed),
    },
  )
}

async function answerWhole(edge: Edge, ctx: Context, act: ChatAct): Promise<void> {
  const answer = act.reply?.answer
  if (!answer) return
  const isCharged = saysSomething(answer.completion)
  const settled = await settleChat(
    edge.inference,
    act.admission,
    outcomeOf(act, { usage: answer.usage, isCharged }),
  )
  act.isSettled = true
  ctx.state.line.costNanos = settled.costNanos.toString()
  ctx.type = 'application/json'
  ctx.body = JSON.stringify({ ...answer.completion, usage: presentUsage(settled.usage) })
}
