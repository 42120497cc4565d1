import type OpenAI from 'openai'
import type { Exchange } from '../../server/exchange.ts'
import { answerChat, type ChatHost, streamHeaders } from '../answer-chat.ts'
import type { Candidate, Prompt, Reply, Usage } from '../model/prompt.ts'
import { stepPrefixes, usePrefixes } from '../model/prompt-cache.ts'
import { hashText, interleave, rankTokens, splitJson, splitWords } from '../model/text.ts'
import type { Handler, Settings, Simulator } from '../simulator.ts'
import { type ChatRequest, parseChatRequest } from './request.ts'

/** A host of OpenAI's chat format. */
interface OpenaiChatHost extends ChatHost {
  /** Adapts the exchange before it is parsed. Throws a `Refusal` if the host does not accept it. */
  prepare?(exchange: Exchange): Exchange
  checkPrompt?(prompt: Prompt, settings: Settings): void
  presentWhole?(completion: OpenAI.ChatCompletion): object
  /** Adds the host's fields and frames to a stream. */
  presentFrames?(frames: Iterable<string>): Iterable<string>
}

/** Handles `POST /v1/chat/completions`, whole or streamed. */
export function completeChat(host: OpenaiChatHost): Handler {
  const { presentWhole = completion => completion, presentFrames = frames => frames } = host
  const faultyParts = {
    brokenFrame: 'data: {"id":"chatcmpl-\n\n',
    errorFrame: `data: ${JSON.stringify(host.errorInAnswer)}\n\n`,
  }
  return async (simulator, exchange) => {
    const key = await host.authenticate(exchange, simulator)
    const request = parseChatRequest(host.prepare?.(exchange) ?? exchange)
    host.checkPrompt?.(request.prompt, simulator.settings)
    const { model } = request.prompt
    const chat = {
      ...request,
      useCache: (text: string) =>
        usePrefixes(simulator.promptCache, stepPrefixes(text, [key, model, request.cacheKey ?? null])),
      present(reply: Reply) {
        const context = { request, identity: identifyAnswer(simulator, exchange, model) }
        return {
          whole: () => presentWhole(presentChat(reply, context)),
          frames: () => presentFrames(streamChat(reply, context)),
        }
      },
      ...{ streamHeaders, faultyParts },
    }
    return answerChat(simulator, exchange, { host, chat })
  }
}

/** The fields that all chunks of an answer share, and the request. */
interface AnswerContext {
  readonly identity: ReturnType<typeof identifyAnswer>
  readonly request: ChatRequest
}

/** Derives the answer's ID from the request, so that it is unique within a simulator. */
function identifyAnswer({ clock }: Simulator, exchange: Exchange, model: string) {
  return {
    id: `chatcmpl-${exchange.id.toString(36).padStart(29, '0')}`,
    created: Math.floor(clock.now() / 1000),
    model,
    service_tier: 'default' as const,
    system_fingerprint: `fp_${hashText(model).toString(16).padStart(10, '0')}`,
  }
}

/** Derives the ID of a tool call from the answer's ID. */
function identifyCall({ id }: { id: string }, candidate: number, call: number): string {
  const [first, second] = [candidate, call].map(number => number.toString(36).padStart(2, '0'))
  return `call_${id.slice(-18)}${first}${second}`
}

const finishReasons = { stop: 'stop', length: 'length', calls: 'tool_calls' } as const

function presentFinish(finish: Candidate['finish'], { callsFunctions }: ChatRequest) {
  return finish === 'calls' && callsFunctions ? 'function_call' : finishReasons[finish]
}

function presentChat({ candidates, usage }: Reply, context: AnswerContext): OpenAI.ChatCompletion {
  const { id, created, model, ...rest } = context.identity
  return {
    ...{ id, object: 'chat.completion', created, model },
    choices: candidates.map((candidate, index) => presentChoice(candidate, index, context)),
    ...(usage && { usage: presentUsage(usage) }),
    ...rest,
  }
}

function presentChoice(
  { text, calls, finish }: Candidate,
  index: number,
  { identity, request }: AnswerContext,
): OpenAI.ChatCompletion.Choice {
  const message: OpenAI.ChatCompletionMessage = {
    role: 'assistant',
    content: calls.length > 0 ? null : text,
    refusal: null,
    annotations: [],
  }
  const [first] = calls
  if (first && request.callsFunctions) message.function_call = first
  else if (first) {
    message.tool_calls = calls.map((call, position) => ({
      ...{ id: identifyCall(identity, index, position), type: 'function', function: call },
    }))
  }
  const logprobs = presentLogprobs(text, request)
  return { index, message, logprobs, finish_reason: presentFinish(finish, request) }
}

function presentLogprobs(
  text: string,
  { topLogprobs: topCount }: ChatRequest,
): OpenAI.ChatCompletion.Choice.Logprobs | null {
  if (topCount === undefined) return null
  const content = [...rankTokens(text, topCount)].map(ranks => {
    const [chosen, ...others] = ranks.map(rank => ({ ...rank, bytes: [...Buffer.from(rank.token)] }))
    const first = chosen ?? { token: '', logprob: 0, bytes: [] }
    return { ...first, top_logprobs: [first, ...others].slice(0, topCount) }
  })
  return { content, refusal: null }
}

function presentUsage(usage: Usage): OpenAI.CompletionUsage {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.promptTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

type Choice = OpenAI.ChatCompletionChunk.Choice

/** Streams an answer: chunks of all candidates in turn, the usage if requested, then `[DONE]`. */
function* streamChat({ candidates, usage }: Reply, context: AnswerContext): Iterable<string> {
  const { identity, request } = context
  const { includesUsage, isObfuscated } = request
  const frame = (choices: Choice[], more: object, obfuscation: string) => {
    const chunk = { ...identity, object: 'chat.completion.chunk', choices, ...more }
    return `data: ${JSON.stringify({ ...chunk, ...(isObfuscated && { obfuscation }) })}\n\n`
  }
  for (const choice of interleave(candidates.map((one, index) => streamCandidate(one, index, context))))
    yield frame([choice], includesUsage ? { usage: null } : {}, pad(JSON.stringify(choice).length))
  if (includesUsage && usage) yield frame([], { usage: presentUsage(usage) }, '')
  yield 'data: [DONE]\n\n'
}

function* streamCandidate(candidate: Candidate, index: number, context: AnswerContext): Iterable<Choice> {
  const { text, calls, finish } = candidate
  const asChoice = (delta: Choice['delta'], logprobs: Choice['logprobs'] = null): Choice => ({
    ...{ index, delta, logprobs, finish_reason: null },
  })
  yield asChoice({ role: 'assistant', content: calls.length > 0 ? null : '', refusal: null })
  for (const delta of streamCalls(candidate, index, context)) yield asChoice(delta)
  for (const content of splitWords(text))
    yield asChoice({ content }, presentLogprobs(content, context.request))
  yield { ...asChoice({}), finish_reason: presentFinish(finish, context.request) }
}

/** Streams each call: its name, then its arguments in slices. Each fragment contains the call's index. */
function* streamCalls(
  { calls }: Candidate,
  candidate: number,
  { identity, request }: AnswerContext,
): Iterable<Choice['delta']> {
  for (const [index, call] of calls.entries()) {
    const asDelta = (part: { name?: string; arguments: string }, more: object = {}): Choice['delta'] =>
      request.callsFunctions ? { function_call: part } : { tool_calls: [{ index, ...more, function: part }] }
    const id = identifyCall(identity, candidate, index)
    yield asDelta({ name: call.name, arguments: '' }, { id, type: 'function' })
    for (const slice of splitJson(call.arguments)) yield asDelta({ arguments: slice })
  }
}

/** Returns padding up to the next multiple of 16 characters. */
function pad(length: number): string {
  return 'x7Kq2mZp9RtB4wLc6'.slice(0, 16 - (length % 16))
}
