import type * as Sdk from '@google/genai'
import type { Exchange, Answer as HttpAnswer } from '../../server/exchange.ts'
import { isRecord, parseJson } from '../../server/json.ts'
import { answerChat, type ChatHost } from '../answer-chat.ts'
import { type Fault, spoilBody } from '../faults.ts'
import { readImages } from '../media/files.ts'
import { finishGeneration } from '../media/generation.ts'
import type { Size } from '../media/sizes.ts'
import {
  lastUserText,
  type Prompt,
  type Reply,
  type ReplyCall,
  type Candidate as ReplyCandidate,
  type Usage,
} from '../model/prompt.ts'
import { stepPrefixes, usePrefixes } from '../model/prompt-cache.ts'
import { countTokens, hashText, interleave, rankTokens, splitWords } from '../model/text.ts'
import type { Handler, Simulator } from '../simulator.ts'
import { refuse } from './host.ts'
import { parseGenerateRequest } from './request.ts'
import { signCall } from './turns.ts'

/** Handles `POST …/models/{model}:generateContent` and `:streamGenerateContent?alt=sse`. */
export function generateContent(host: ChatHost): Handler {
  const faultyParts = {
    brokenFrame: 'data: {"candidates": [{"content"\r\n\r\n',
    errorFrame: `data: ${JSON.stringify(host.errorInAnswer)}\r\n\r\n`,
  }
  return async (simulator, exchange) => {
    const caller = await host.authenticate(exchange, simulator)
    const { model = '', method } = exchange.params
    const isStreamed = method === 'streamGenerateContent'
    if (isStreamed && exchange.query.get('alt') !== 'sse')
      throw refuse(400, 'simulator: streamGenerateContent requires alt=sse')
    const request = parseGenerateRequest(exchange, { model, caller, settings: simulator.settings })
    const { prompt, traits, topLogprobs, imageSize: size } = request
    if (size) return answerWithImages(host, simulator, exchange, { caller, model, prompt, size })
    const chat = {
      ...{ prompt, isStreamed, streamHeaders: { 'content-type': 'text/event-stream' }, faultyParts },
      useCache: (text: string) => usePrefixes(simulator.promptCache, stepPrefixes(text, [caller, model])),
      present(reply: Reply, fault: Fault | undefined) {
        const context: AnswerContext = {
          identity: { modelVersion: model, responseId: responseIdOf(exchange) },
          signer: traits.isSigning ? { caller, model, requestId: exchange.id } : undefined,
          topLogprobs,
          isMalformed: fault?.name === 'malformed-call',
          isBlocked: fault?.name === 'refusal',
        }
        return {
          whole: () => presentAnswer(reply, context),
          frames: () => frameEvents(streamAnswer(reply, context)),
        }
      },
    }
    return answerChat(simulator, exchange, { host, chat })
  }
}

function responseIdOf({ id }: Exchange): string {
  return `sim${id.toString(36).padStart(19, '0')}`
}

/** Answers with a short text and one inline image of this size. */
async function answerWithImages(
  host: ChatHost,
  simulator: Simulator,
  exchange: Exchange,
  { caller, model, prompt, size }: { caller: string; model: string; prompt: Prompt; size: Size },
): Promise<HttpAnswer> {
  const { generation, fault } = await finishGeneration(simulator, exchange, {
    ...{ caller, model, prompt: lastUserText(prompt), refuse: host.refuseFailure },
    product: { kind: 'image', size, count: 1 },
  })
  const isBlocked = fault?.name === 'refusal'
  const images = isBlocked ? [] : readImages(generation)
  const parts = images.map(data => ({ inlineData: { mimeType: 'image/png', data } }))
  const content = { role: 'model', parts: [{ text: 'Here is your picture.' }, ...parts] }
  const finishMessage = 'The image was refused by the content policy.'
  const candidate = isBlocked
    ? { finishReason: 'IMAGE_SAFETY', finishMessage, index: 0 }
    : { content, finishReason: 'STOP', index: 0 }
  const imageTokens = parts.length * 1_290
  const body = {
    candidates: [candidate],
    usageMetadata: { promptTokenCount: 16, candidatesTokenCount: imageTokens, totalTokenCount: 1_306 },
    modelVersion: model,
    responseId: responseIdOf(exchange),
  }
  return spoilBody({ body }, fault, host.errorInAnswer)
}

/** The SDK's types in the wire format, where an enum is a string. */
type Wire<Value> = Value extends string
  ? `${Value}`
  : Value extends (infer Item)[]
    ? Wire<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Wire<Value[Key]> }
      : Value

type Answer = Wire<
  Pick<
    Sdk.GenerateContentResponse,
    'candidates' | 'promptFeedback' | 'usageMetadata' | 'modelVersion' | 'responseId'
  >
>
type Candidate = Wire<Sdk.Candidate>

function* frameEvents(answers: Iterable<Answer>): Iterable<string> {
  for (const answer of answers) yield `data: ${JSON.stringify(answer)}\r\n\r\n`
}

interface AnswerContext {
  readonly identity: { readonly modelVersion: string; readonly responseId: string }
  /** The signer of calls, and the source of their IDs; undefined for models before generation 3. */
  readonly signer: { caller: string; model: string; requestId: number } | undefined
  readonly topLogprobs: number | undefined
  readonly isMalformed: boolean
  readonly isBlocked: boolean
}

const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', calls: 'STOP' } as const
const malformed = {
  content: {},
  finishReason: 'MALFORMED_FUNCTION_CALL',
  finishMessage: 'Malformed function call: print(default_api.nothing(',
} as const

/** Presents an answer as a `GenerateContentResponse`. */
function presentAnswer(reply: Reply, context: AnswerContext): Answer {
  const { candidates, usage } = reply
  if (context.isBlocked) return presentBlock(reply, context)
  return {
    ...(candidates.length > 0 && {
      candidates: candidates.map((candidate, index) => presentCandidate(candidate, index, context)),
    }),
    ...(usage && { usageMetadata: presentUsage(usage, usage.outputTokens - usage.reasoningTokens) }),
    ...context.identity,
  }
}

function presentBlock({ usage }: Reply, { identity }: AnswerContext): Answer {
  const counted = usage && { promptTokenCount: usage.promptTokens, totalTokenCount: usage.promptTokens }
  return {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    ...(counted && { usageMetadata: counted }),
    ...identity,
  }
}

function presentCandidate(
  { text, calls, finish }: ReplyCandidate,
  index: number,
  context: AnswerContext,
): Candidate {
  if (context.isMalformed) return { index, ...malformed }
  const logprobs = presentLogprobs(text, context)
  return {
    content: { role: 'model', parts: calls.length > 0 ? presentCalls(calls, context) : [{ text }] },
    ...{ finishReason: finishReasons[finish], index, ...logprobs },
    ...(logprobs && { avgLogprobs: -0.125 }),
  }
}

/** Presents calls. The first one is signed. A call that the token limit truncates is omitted. */
function presentCalls(calls: readonly ReplyCall[], { signer }: AnswerContext): Wire<Sdk.Part>[] {
  return calls.flatMap(({ name, arguments: text }, index) => {
    const args = parseJson(text)
    if (!isRecord(args)) return []
    const id = signer && { id: `fc${signer.requestId.toString(36)}x${index}` }
    const signature = signer && index === 0 ? { thoughtSignature: signCall(signer, name) } : undefined
    return [{ functionCall: { ...id, name, args }, ...signature }]
  })
}

function presentLogprobs(text: string, { topLogprobs: topCount }: AnswerContext) {
  if (topCount === undefined || !text) return undefined
  const tokens = [...rankTokens(text, topCount)].map(ranks =>
    ranks.map(({ token, logprob }) => ({ token, tokenId: hashText(token), logProbability: logprob })),
  )
  const logprobsResult: Wire<Sdk.LogprobsResult> = {
    chosenCandidates: tokens.flatMap(([chosen]) => chosen ?? []),
    topCandidates: tokens.map(ranks => ({ candidates: ranks.slice(0, topCount) })),
  }
  return { logprobsResult }
}

/** Presents the usage after `candidatesTokens` of the answer. Gemini omits zeros. */
function presentUsage(usage: Usage, candidatesTokens: number): NonNullable<Answer['usageMetadata']> {
  const { promptTokens, cachedTokens, reasoningTokens } = usage
  return {
    promptTokenCount: promptTokens,
    ...(candidatesTokens > 0 && { candidatesTokenCount: candidatesTokens }),
    totalTokenCount: promptTokens + candidatesTokens + reasoningTokens,
    ...(cachedTokens > 0 && {
      cachedContentTokenCount: cachedTokens,
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: cachedTokens }],
    }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
  }
}

/** Streams an answer: frames of all candidates in turn, each with the usage so far. The last one has the finish reason. */
function* streamAnswer(reply: Reply, context: AnswerContext): Iterable<Answer> {
  const { candidates, usage } = reply
  if (context.isBlocked || candidates.length === 0) return yield presentAnswer(reply, context)
  const total = usage ? usage.outputTokens - usage.reasoningTokens : 0
  const streams = candidates.map((candidate, index) => streamCandidate(candidate, index, context))
  const frames = [...interleave(streams)]
  let tokens = 0
  for (const [index, candidate] of frames.entries()) {
    const text = candidate.content?.parts?.map(part => part.text ?? '').join('') ?? ''
    tokens = index === frames.length - 1 ? total : Math.min(total, tokens + countTokens(text))
    yield {
      candidates: [candidate],
      ...(usage && { usageMetadata: presentUsage(usage, tokens) }),
      ...context.identity,
    }
  }
}

function* streamCandidate(
  candidate: ReplyCandidate,
  index: number,
  context: AnswerContext,
): Iterable<Candidate> {
  const { text, calls, finish } = candidate
  if (context.isMalformed) return yield { index, ...malformed }
  const asCandidate = (parts: Wire<Sdk.Part>[], isLast: boolean) => ({
    content: { role: 'model', parts },
    ...(isLast && { finishReason: finishReasons[finish] }),
    index,
  })
  if (calls.length > 0) {
    yield asCandidate(presentCalls(calls, context), false)
    return yield asCandidate([{ text: '' }], true)
  }
  const pieces = text === '' ? [''] : [...splitWords(text)]
  for (const [position, piece] of pieces.entries()) {
    const isLast = position === pieces.length - 1
    yield { ...asCandidate([{ text: piece }], isLast), ...presentLogprobs(piece, context) }
  }
}
