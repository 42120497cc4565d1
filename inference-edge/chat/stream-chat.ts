import type { Context } from 'koa'
import { presentUsage } from '../../domain/inference/present-usage.ts'
import { settleChat } from '../../domain/inference/settle-chat.ts'
import { asProblem, presentProblem } from '../../schema/errors.ts'
import type { Usage } from '../../schema/usage.ts'
import type { ChatChunk } from '../../schema/wire/chat.ts'
import type { ChatStream } from '../../upstreams/call-chat.ts'
import { problemOf, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import { ClientGone, type ClientStream, openClientStream } from '../sse/client-stream.ts'
import { type ChatAct, outcomeOf } from './chat-act.ts'
import { countProduced } from './count-produced.ts'

/**
 * Streams an answer: every chunk as it comes, the last one when its charge is durable. A stream that breaks ends
 * with an error frame and without `[DONE]`, and costs nothing; a client that leaves pays for what was produced.
 * Does not throw: once the first byte is out, the status is 200.
 */
export async function streamChat(edge: Edge, ctx: Context, act: ChatAct, stream: ChatStream): Promise<void> {
  ctx.respond = false
  const client = openClientStream(ctx.res, edge.config)
  const includeUsage = act.request.stream_options?.include_usage === true
  try {
    const last = await forward(act, stream, client, includeUsage)
    const isCharged = act.producedCharacters > 0 || last.some(endsMeaningfully)
    const settled = await settle(edge, act, { usage: stream.usage, isCharged })
    ctx.state.line.costNanos = settled.costNanos.toString()
    client.end(`${closingFrames(last, settled.usage, includeUsage)}data: [DONE]\n\n`)
  } catch (error) {
    await breakOff(edge, ctx, act, stream, client, error)
  }
}

/** Sends chunks on and answers those that wait for the charge: the ones with a `finish_reason`. */
async function forward(
  act: ChatAct,
  stream: ChatStream,
  client: ClientStream,
  includeUsage: boolean,
): Promise<ChatChunk[]> {
  const last: ChatChunk[] = []
  for (let chunks = await stream.read(); chunks; chunks = await stream.read()) {
    let frames = ''
    for (const chunk of chunks) {
      act.producedCharacters += countProduced(chunk)
      if (chunk.choices.some(choice => choice.finish_reason)) last.push(chunk)
      else frames += frameOf(includeUsage ? { ...chunk, usage: null } : chunk)
    }
    if (frames) await client.write(frames)
  }
  return last
}

/**
 * The last chunks with the usage: as OpenAI sends it where the client asked (a chunk with empty `choices`), else on
 * the chunk that carries `finish_reason` (decisions: usage on a chat stream).
 */
function closingFrames(last: ChatChunk[], usage: Usage, includeUsage: boolean): string {
  const body = presentUsage(usage)
  const final = last.at(-1)
  if (!final) return ''
  if (!includeUsage) return [...last.slice(0, -1), { ...final, usage: body }].map(frameOf).join('')
  const { id, object, created, model } = final
  const ended = last.map(chunk => ({ ...chunk, usage: null }))
  return [...ended, { id, object, created, model, choices: [], usage: body }].map(frameOf).join('')
}

async function breakOff(
  edge: Edge,
  ctx: Context,
  act: ChatAct,
  stream: ChatStream,
  client: ClientStream,
  error: unknown,
): Promise<void> {
  const isGone = error instanceof ClientGone || (error instanceof UpstreamFailure && error.kind === 'aborted')
  const problem = error instanceof UpstreamFailure ? problemOf(error) : asProblem(error)
  ctx.state.line.status = isGone ? 499 : problem.status
  if (!isGone) ctx.state.problem = problem
  const end = isGone
    ? { usage: stream.usage, isCharged: act.producedCharacters > 0, status: 499, errorCode: 'client_left' }
    : { usage: undefined, isCharged: false, status: problem.status, errorCode: problem.code }
  if (!act.isSettled) {
    await settle(edge, act, end).catch(failure =>
      edge.log.error({ err: failure, requestId: act.requestId }, 'a broken stream was not settled'),
    )
  }
  if (!isGone) client.end(frameOf(presentProblem(problem)))
}

function settle(edge: Edge, act: ChatAct, end: Parameters<typeof outcomeOf>[1]) {
  act.isSettled = true
  return settleChat(edge.inference, act.admission, outcomeOf(act, end))
}

function endsMeaningfully({ choices }: ChatChunk): boolean {
  return choices.some(
    choice => choice.finish_reason === 'length' || choice.finish_reason === 'content_filter',
  )
}

function frameOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
