import type { OutgoingHttpHeaders } from 'node:http'
import type { Answer, Exchange } from '../server/exchange.ts'
import { type Fault, type FaultyParts, spoilBody, spoilFrames, startAnswer } from './faults.ts'
import type { Host } from './host.ts'
import { answerPrompt } from './model/answer-prompt.ts'
import { type CacheUse, lastUserText, type Prompt, type Reply } from './model/prompt.ts'
import type { Simulator } from './simulator.ts'

/** A host of chat models. */
export interface ChatHost extends Host {
  /** Throws a `Refusal` if the fault is an error of the host itself. */
  checkFault?(fault: Fault | undefined): void
  /** The body of the error that the fault `error-frame` puts into an answer. */
  readonly errorInAnswer: unknown
}

/** A parsed chat request, and how its wire format presents the reply. */
interface Chat {
  readonly prompt: Prompt
  readonly isStreamed: boolean
  /** Looks up the prompt in the cache, then caches it. */
  useCache(renderedPrompt: string): CacheUse
  /** Returns the reply in the wire format: the body, and the events of a stream. */
  present(reply: Reply, fault: Fault | undefined): { whole(): object; frames(): Iterable<string> }
  readonly streamHeaders: OutgoingHttpHeaders
  readonly faultyParts: FaultyParts
}

/** The headers of OpenAI's and Anthropic's streams. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
}

/** Answers a chat request, whole or streamed, with its fault. */
export async function answerChat(
  simulator: Simulator,
  exchange: Exchange,
  { host, chat }: { host: ChatHost; chat: Chat },
): Promise<Answer> {
  const { prompt } = chat
  const { model } = prompt
  const answering = { model, text: lastUserText(prompt), refuse: host.refuseFailure }
  const fault = await startAnswer(simulator, exchange, answering)
  host.checkFault?.(fault)
  exchange.signal.throwIfAborted()
  const presented = chat.present(answerPrompt(prompt, { fault, useCache: chat.useCache }), fault)
  if (!chat.isStreamed) return spoilBody({ body: presented.whole() }, fault, host.errorInAnswer)
  const spoiled = { frames: presented.frames(), fault, parts: chat.faultyParts }
  return { headers: chat.streamHeaders, frames: spoilFrames(simulator, exchange, spoiled) }
}
