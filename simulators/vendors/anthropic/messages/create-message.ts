import type { OutgoingHttpHeaders } from 'node:http'
import { findFault } from '../../faults/find-fault.ts'
import { meetFault, type Trouble } from '../../faults/meet-fault.ts'
import { answerPrompt } from '../../model/answer-prompt.ts'
import { lastUserText, type Prompt } from '../../model/prompt.ts'
import type { Exchange, Handler } from '../../server/exchange.ts'
import type { Refusal } from '../../server/refusal.ts'
import { sendStream } from '../../server/send-stream.ts'
import { sendWhole } from '../../server/send-whole.ts'
import type { Simulator } from '../../simulator.ts'
import { useBreakpoints } from '../cache/use-breakpoints.ts'
import { presentError } from '../refuse.ts'
import { type MessageRequest, parseMessageRequest } from '../request/parse-message-request.ts'
import { composeMessage } from './compose-message.ts'
import { heedInstructions } from './heed-instructions.ts'
import { presentMessage } from './present-message.ts'
import { streamMessage } from './stream-message.ts'

/** How a host that serves these models lets callers in, and how it speaks of trouble. */
export interface Hosting {
  /** Who calls: caches are kept apart by it. Throws a Refusal. */
  authenticate(simulator: Simulator, exchange: Exchange): string
  /** Throws a Refusal where the host has no model of that name. */
  checkModel(model: string): void
  presentHeaders(exchange: Exchange): OutgoingHttpHeaders
  refuseTrouble(trouble: Trouble): Refusal
}

const overloaded = JSON.stringify(presentError('overloaded_error', 'Overloaded'))

/** POST /v1/messages, whole or streamed. */
export function createMessage(hosting: Hosting): Handler {
  return async (simulator, exchange) => {
    const caller = hosting.authenticate(simulator, exchange)
    const request = parseMessageRequest(exchange)
    const { prompt, traits } = request
    hosting.checkModel(prompt.model)
    const text = lastUserText(prompt)
    const fault = findFault({ request: exchange.request, model: prompt.model, text })
    await meetFault(simulator, exchange, { fault, model: prompt.model, text, refuse: hosting.refuseTrouble })
    if (exchange.response.destroyed) return

    const reply = answer(simulator, { exchange, request, caller, fault })
    const message = composeMessage(reply, {
      exchange,
      model: prompt.model,
      isRefused: fault?.name === 'refusal',
    })
    const headers = hosting.presentHeaders(exchange)
    if (!request.isStreamed) {
      const body = JSON.stringify(presentMessage(message))
      const brokenBody = '<html><body>Bad gateway</body></html>'
      return sendWhole(exchange, { headers, body, brokenBody, errorBody: overloaded, fault })
    }
    await sendStream(simulator, exchange, {
      headers: {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
      },
      frames: streamMessage(message, traits),
      brokenFrame: 'event: content_block_delta\ndata: {"type":"content_\n\n',
      errorFrame: `event: error\ndata: ${overloaded}\n\n`,
      fault,
    })
  }
}

/** The model's reply, with what its cache gave and took. */
function answer(
  simulator: Simulator,
  asked: { exchange: Exchange; request: MessageRequest; caller: string; fault: ReturnType<typeof findFault> },
) {
  const { exchange, request, caller, fault } = asked
  const prompt: Prompt = heedInstructions(request.prompt)
  const reply = answerPrompt(simulator, { prompt, partition: '', untilTokens: 0, fault })
  const session = exchange.request.headers['session-id'] ?? null
  const cached = useBreakpoints(simulator, {
    partition: JSON.stringify([caller, prompt.model, session]),
    prefixes: request.prefixes,
    minimumTokens: request.traits.minimumCacheTokens,
  })
  return { ...reply, usage: reply.usage && { ...reply.usage, ...cached } }
}
