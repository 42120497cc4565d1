import type OpenAI from 'openai'
import type { Candidate, Reply } from '../../model/reply.ts'
import { splitJson, splitWords } from '../../model/text/split-text.ts'
import type { ChatRequest } from '../request/parse-chat-request.ts'
import { type Identity, identifyCall } from './identify-answer.ts'
import { finishOf } from './present-chat.ts'
import { presentLogprobs } from './present-logprobs.ts'
import { presentUsage } from './present-usage.ts'

type Choice = OpenAI.ChatCompletionChunk.Choice
type Delta = OpenAI.ChatCompletionChunk.Choice.Delta
type Settings = { identity: Identity; request: ChatRequest }

/** An answer as the frames of a stream: chunks of all candidates by turns, the usage if asked for, `[DONE]`. */
export function* streamChat({ candidates, usage }: Reply, { identity, request }: Settings): Iterable<string> {
  const head = beginChunk(identity)
  const usageTail = request.includesUsage ? ',"usage":null' : ''
  const choices = takeTurns(
    candidates.map((candidate, index) => streamCandidate(candidate, index, { identity, request })),
  )
  for (const choice of choices) {
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

/** Everything of a chunk that comes before its choices: the same for the whole answer, so written once. */
function beginChunk({ id, created, model, service_tier, system_fingerprint }: Identity): string {
  const shared = { id, object: 'chat.completion.chunk', created, model, service_tier, system_fingerprint }
  return `data: ${JSON.stringify(shared).slice(0, -1)},"choices":`
}

function* streamCandidate(candidate: Candidate, index: number, settings: Settings): Iterable<Choice> {
  const asChoice = (delta: Delta, finish: Choice['finish_reason'] = null): Choice => ({
    index,
    delta,
    logprobs: null,
    finish_reason: finish,
  })
  const { text, calls, finish } = candidate
  yield asChoice({ role: 'assistant', content: calls.length > 0 ? null : '', refusal: null })
  if (calls.length > 0) {
    for (const delta of streamCalls(candidate, index, settings)) yield asChoice(delta)
  } else {
    const { topLogprobs } = settings.request
    for (const content of splitWords(text)) {
      const choice = asChoice({ content })
      yield topLogprobs === undefined
        ? choice
        : { ...choice, logprobs: presentLogprobs(content, topLogprobs) }
    }
  }
  yield asChoice({}, finishOf(finish, settings.request))
}

/** Each call with its name first and its arguments in slices after; every fragment says which call it belongs to. */
function* streamCalls(
  { calls }: Candidate,
  candidate: number,
  { identity, request }: Settings,
): Iterable<Delta> {
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

/** One item of each list by turns, until all are at their end. */
function* takeTurns<Item>(lists: Iterable<Item>[]): Iterable<Item> {
  let iterators = lists.map(list => list[Symbol.iterator]())
  while (iterators.length > 0) {
    const results = iterators.map(iterator => ({ iterator, result: iterator.next() }))
    const going = results.filter(({ result }) => !result.done)
    for (const { result } of going) if (!result.done) yield result.value
    iterators = going.map(({ iterator }) => iterator)
  }
}

const padding = 'x7Kq2mZp9RtB4wLc6'

/** Padding that brings chunks of different lengths to the same one, in steps of sixteen characters. */
function pad(length: number): string {
  return padding.slice(0, 16 - (length % 16))
}
