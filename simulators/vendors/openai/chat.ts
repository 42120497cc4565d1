import type { OutgoingHttpHeaders } from 'node:http'
import type OpenAI from 'openai'
import type { Exchange, Refusal } from '../../server/exchange.ts'
import { type Failure, type Fault, startAnswer } from '../../server/faults.ts'
import { sendStream, sendWhole } from '../../server/send.ts'
import { answerPrompt } from '../model/answer-prompt.ts'
import { type Candidate, lastUserText, type Reply, type Usage } from '../model/prompt.ts'
import { hashText, rankTokens, splitJson, splitWords } from '../model/text.ts'
import type { Handler, Simulator } from '../simulator.ts'
import { type ChatRequest, parseChatRequest } from './request.ts'

/** How a host that serves these models authenticates callers, and how it presents answers and errors. */
export interface ChatHost {
  /** Who calls: caches are kept apart by it. Throws a Refusal. */
  authenticate(exchange: Exchange): string
  /** What is read as the request, where that is not the exchange as it came. Throws a Refusal. */
  prepare?(exchange: Exchange, simulator: Simulator): Exchange
  /** Throws a Refusal where the host itself refuses what the fault requests. */
  checkFault?(fault: Fault | undefined): void
  presentHeaders(exchange: Exchange): OutgoingHttpHeaders
  refuseFailure(failure: Failure): Refusal
  /** The error of the fault `error-frame`. */
  readonly errorInAnswer: string
  /** What the host adds to whole answers and to the frames of streamed ones. */
  presentWhole?(completion: OpenAI.ChatCompletion): object
  presentFrames?(frames: Iterable<string>): Iterable<string>
}

/** POST /v1/chat/completions, whole or streamed. */
export function completeChat(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    const key = host.authenticate(exchange)
    const request = parseChatRequest(host.prepare ? host.prepare(exchange, simulator) : exchange)
    const { prompt } = request
    const { model } = prompt
    const text = lastUserText(prompt)
    const fault = await startAnswer(simulator, exchange, { model, text, refuse: host.refuseFailure })
    host.checkFault?.(fault)
    if (exchange.response.destroyed) return

    const partition = [key, model, request.cacheKey ?? null]
    const reply = answerPrompt(simulator, { prompt, partition, fault })
    const presenting = { request, identity: identifyAnswer(simulator, exchange, model) }
    const headers = host.presentHeaders(exchange)
    const { errorInAnswer } = host
    if (!request.isStreamed) {
      const completion = presentChat(reply, presenting)
      const body = JSON.stringify(host.presentWhole?.(completion) ?? completion)
      return sendWhole(exchange, { headers, body, errorBody: errorInAnswer, fault })
    }
    const frames = streamChat(reply, presenting)
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

/** What all chunks of one answer share. */
interface Identity {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly service_tier: 'default'
  readonly system_fingerprint: string
}

interface Presenting {
  readonly identity: Identity
  readonly request: ChatRequest
}

/** Names an answer after its request: no simulator names two alike. */
function identifyAnswer({ clock }: Simulator, exchange: Exchange, model: string): Identity {
  return {
    id: `chatcmpl-${exchange.id.toString(36).padStart(29, '0')}`,
    created: Math.floor(clock.now() / 1000),
    model,
    service_tier: 'default',
    system_fingerprint: `fp_${hashText(model).toString(16).padStart(10, '0')}`,
  }
}

/** The id of one call of a tool, as unique as its answer's. */
function identifyCall({ id }: Identity, candidate: number, call: number): string {
  const [first, second] = [candidate, call].map(number => number.toString(36).padStart(2, '0'))
  return `call_${id.slice(-18)}${first}${second}`
}

const finishReasons = { stop: 'stop', length: 'length', calls: 'tool_calls' } as const

function presentFinish(finish: Candidate['finish'], { callsFunctions }: ChatRequest) {
  return finish === 'calls' && callsFunctions ? 'function_call' : finishReasons[finish]
}

/** A whole answer, as a `chat.completion`. */
function presentChat({ candidates, usage }: Reply, presenting: Presenting): OpenAI.ChatCompletion {
  const { id, created, model, service_tier, system_fingerprint } = presenting.identity
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: candidates.map((candidate, index) => presentChoice(candidate, index, presenting)),
    ...(usage && { usage: presentUsage(usage) }),
    service_tier,
    system_fingerprint,
  }
}

function presentChoice(
  { text, calls, finish }: Candidate,
  index: number,
  { identity, request }: Presenting,
): OpenAI.ChatCompletion.Choice {
  const message: OpenAI.ChatCompletionMessage = {
    role: 'assistant',
    content: calls.length > 0 ? null : text,
    refusal: null,
    annotations: [],
  }
  const [call] = calls
  if (call && request.callsFunctions) message.function_call = call
  else if (call) {
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

/** An answer as the frames of a stream: chunks of each candidate in turn, the usage if requested, `[DONE]`. */
function* streamChat({ candidates, usage }: Reply, presenting: Presenting): Iterable<string> {
  const { identity, request } = presenting
  // Everything that comes before the choices is the same for the whole answer, so serialized once.
  const shared = JSON.stringify({ ...identity, object: 'chat.completion.chunk' })
  const head = `data: ${shared.slice(0, -1)},"choices":`
  const usageTail = request.includesUsage ? ',"usage":null' : ''
  for (const choice of takeTurns(candidates.map((one, index) => streamCandidate(one, index, presenting)))) {
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

function* streamCandidate(candidate: Candidate, index: number, presenting: Presenting): Iterable<Choice> {
  const { text, calls, finish } = candidate
  const asChoice = (delta: Choice['delta'], finish_reason: Choice['finish_reason'] = null): Choice => ({
    index,
    delta,
    logprobs: null,
    finish_reason,
  })
  yield asChoice({ role: 'assistant', content: calls.length > 0 ? null : '', refusal: null })
  if (calls.length > 0) {
    for (const delta of streamCalls(candidate, index, presenting)) yield asChoice(delta)
  } else {
    const { topLogprobs } = presenting.request
    for (const content of splitWords(text)) {
      const choice = asChoice({ content })
      yield topLogprobs === undefined
        ? choice
        : { ...choice, logprobs: presentLogprobs(content, topLogprobs) }
    }
  }
  yield asChoice({}, presentFinish(finish, presenting.request))
}

/** Each call with its name first and its arguments in slices after; every fragment says which call it belongs to. */
function* streamCalls(
  { calls }: Candidate,
  candidate: number,
  { identity, request }: Presenting,
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

/** One item of each list in turn, until all have ended. */
function* takeTurns<Item>(lists: Iterable<Item>[]): Iterable<Item> {
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

/** Padding that brings chunks of different lengths to the same one, in steps of sixteen characters. */
function pad(length: number): string {
  return padding.slice(0, 16 - (length % 16))
}
