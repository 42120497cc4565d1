import type OpenAI from 'openai'
import type { Exchange } from '../../server/exchange.ts'
import { type Fault, startAnswer } from '../../server/faults.ts'
import { sendStream, sendWhole } from '../../server/send.ts'
import type { Host } from '../host.ts'
import { answerPrompt } from '../model/answer-prompt.ts'
import { type Candidate, lastUserText, type Reply, type Usage } from '../model/prompt.ts'
import { hashText, rankTokens, splitJson, splitWords } from '../model/text.ts'
import type { Handler, Simulator } from '../simulator.ts'
import { type ChatRequest, parseChatRequest } from './request.ts'

/** A host of these models. */
export interface ChatHost extends Host {
  /** Adapts the exchange before it is parsed. Throws a `Refusal` if the host does not accept it. */
  prepare?(exchange: Exchange, simulator: Simulator): Exchange
  /** Throws a `Refusal` if the fault is an error of the host itself. */
  checkFault?(fault: Fault | undefined): void
  /** The error of the fault `error-frame`. */
  readonly errorInAnswer: string
  presentWhole?(completion: OpenAI.ChatCompletion): object
  /** Adds the host's fields and frames to a stream. */
  presentFrames?(frames: Iterable<string>): Iterable<string>
}

/** Handles `POST /v1/chat/completions`, whole or streamed. */
export function completeChat(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const key = await host.authenticate(exchange, simulator)
    const request = parseChatRequest(host.prepare ? host.prepare(exchange, simulator) : exchange)
    const { prompt } = request
    const { model } = prompt
    const text = lastUserText(prompt)
    const fault = await startAnswer(simulator, exchange, { model, text, refuse: host.refuseFailure })
    host.checkFault?.(fault)
    if (exchange.response.destroyed) return

    const partition = [key, model, request.cacheKey ?? null]
    const reply = answerPrompt(simulator, { prompt, partition, fault })
    const context = { request, identity: identifyAnswer(simulator, exchange, model) }
    const headers = host.presentHeaders(exchange)
    const { errorInAnswer } = host
    if (!request.isStreamed) {
      const completion = presentChat(reply, context)
      const body = host.presentWhole?.(completion) ?? completion
      return sendWhole(exchange, { headers, body, errorBody: errorInAnswer, fault })
    }
    const frames = streamChat(reply, context)
    await sendStream(simulator, exchange, {
      headers: {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
      },
      frames: host.presentFrames?.(frames) ?? frames,
      brokenFrame: 'data: {"id":"chatcmpl-\n\n',
      errorFrame: `data: ${errorInAnswer}\n\n`,
      fault,
    })
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
      id: identifyCall(identity, index, position),
      type: 'function',
      function: call,
    }))
  }
  const logprobs = request.topLogprobs === undefined ? null : presentLogprobs(text, request.topLogprobs)
  return { index, message, logprobs, finish_reason: presentFinish(finish, request) }
}

function presentLogprobs(text: string, topCount: number): OpenAI.ChatCompletion.Choice.Logprobs {
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
  // All fields before the choices are the same in each chunk, so they are serialized once.
  const shared = JSON.stringify({ ...identity, object: 'chat.completion.chunk' })
  const head = `data: ${shared.slice(0, -1)},"choices":`
  const usageTail = request.includesUsage ? ',"usage":null' : ''
  for (const choice of interleave(candidates.map((one, index) => streamCandidate(one, index, context)))) {
    const text = JSON.stringify(choice)
    const padding = request.isObfuscated ? `,"obfuscation":"${pad(text.length)}"` : ''
    yield `${head}[${text}]${usageTail}${padding}}\n\n`
  }
  if (request.includesUsage && usage) {
    const padding = request.isObfuscated ? ',"obfuscation":""' : ''
    yield `${head}[],"usage":${JSON.stringify(presentUsage(usage))}${padding}}\n\n`
  }
  yield 'data: [DONE]\n\n'
}

function* streamCandidate(candidate: Candidate, index: number, context: AnswerContext): Iterable<Choice> {
  const { text, calls, finish } = candidate
  const rest = { logprobs: null, finish_reason: null }
  const asChoice = (delta: Choice['delta']): Choice => ({ index, delta, ...rest })
  yield asChoice({ role: 'assistant', content: calls.length > 0 ? null : '', refusal: null })
  if (calls.length > 0) {
    for (const delta of streamCalls(candidate, index, context)) yield asChoice(delta)
  } else {
    const { topLogprobs } = context.request
    for (const content of splitWords(text)) {
      const logprobs = topLogprobs === undefined ? null : presentLogprobs(content, topLogprobs)
      yield { ...asChoice({ content }), logprobs }
    }
  }
  yield { ...asChoice({}), finish_reason: presentFinish(finish, context.request) }
}

/** Streams each call: its name, then its arguments in slices. Each fragment contains the call's index. */
function* streamCalls(
  { calls }: Candidate,
  candidate: number,
  { identity, request }: AnswerContext,
): Iterable<Choice['delta']> {
  for (const [index, call] of calls.entries()) {
    if (request.callsFunctions) {
      yield { function_call: { name: call.name, arguments: '' } }
      for (const slice of splitJson(call.arguments)) yield { function_call: { arguments: slice } }
      continue
    }
    const id = identifyCall(identity, candidate, index)
    yield { tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] }
    for (const slice of splitJson(call.arguments))
      yield { tool_calls: [{ index, function: { arguments: slice } }] }
  }
}

/** Yields one item of each list in turn. */
function* interleave<Item>(lists: Iterable<Item>[]): Iterable<Item> {
  const [only, ...others] = lists
  if (only && others.length === 0) return yield* only
  let iterators = lists.map(list => list[Symbol.iterator]())
  while (iterators.length > 0) {
    const results = iterators.map(iterator => ({ iterator, result: iterator.next() }))
    const unfinished = results.filter(({ result }) => !result.done)
    for (const { result } of unfinished) if (!result.done) yield result.value
    iterators = unfinished.map(({ iterator }) => iterator)
  }
}

const padding = 'x7Kq2mZp9RtB4wLc6'

/** Returns padding up to the next multiple of 16 characters. */
function pad(length: number): string {
  return padding.slice(0, 16 - (length % 16))
}
