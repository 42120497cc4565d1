import type { OutgoingHttpHeaders } from 'node:http'
import type { GenerateAnswer } from '../../../../upstreams/formats/gemini/wire.ts'
import { findFault } from '../../faults/find-fault.ts'
import { meetFault, type Trouble } from '../../faults/meet-fault.ts'
import { answerPrompt } from '../../model/answer-prompt.ts'
import { lastUserText } from '../../model/prompt.ts'
import type { Exchange, Handler } from '../../server/exchange.ts'
import { Refusal } from '../../server/refusal.ts'
import { sendStream } from '../../server/send-stream.ts'
import { sendWhole } from '../../server/send-whole.ts'
import type { Simulator } from '../../simulator.ts'
import { parseGenerateRequest } from '../request/parse-generate-request.ts'
import { type Presenting, presentAnswer, presentBlock } from './present-answer.ts'
import { streamAnswer } from './stream-answer.ts'

/** How a host that serves these models lets callers in, and how it speaks of trouble. */
export interface Hosting {
  /** Who calls: caches and signatures are kept apart by it. Throws a Refusal. */
  authenticate(simulator: Simulator, exchange: Exchange): string
  presentHeaders(exchange: Exchange): OutgoingHttpHeaders
  refuseTrouble(trouble: Trouble): Refusal
}

const overloaded = JSON.stringify({
  error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' },
})

/** POST …/models/{model}:generateContent and :streamGenerateContent, the latter as SSE or as one list. */
export function generateContent(hosting: Hosting): Handler {
  return async (simulator, exchange) => {
    const isList = exchange.params.method === 'streamGenerateContent' && exchange.query.get('alt') !== 'sse'
    try {
      await answer(hosting, simulator, exchange, isList)
    } catch (error) {
      if (!isList || !(error instanceof Refusal)) throw error
      throw new Refusal({ status: error.status, headers: error.headers, body: [error.body] })
    }
  }
}

async function answer(
  hosting: Hosting,
  simulator: Simulator,
  exchange: Exchange,
  isList: boolean,
): Promise<void> {
  const caller = hosting.authenticate(simulator, exchange)
  const { model = '', method } = exchange.params
  const { settings } = simulator
  const { prompt, traits, topLogprobs } = parseGenerateRequest(exchange, { model, caller, settings })
  const text = lastUserText(prompt)
  const fault = findFault({ request: exchange.request, model, text })
  await meetFault(simulator, exchange, { fault, model, text, refuse: hosting.refuseTrouble })
  if (exchange.response.destroyed) return

  const reply = answerPrompt(simulator, { prompt, partition: JSON.stringify([caller, model]), fault })
  const presenting: Presenting = {
    identity: { modelVersion: model, responseId: `sim${exchange.id.toString(36).padStart(19, '0')}` },
    signer: traits.isSigning ? { caller, model, requestId: exchange.id } : undefined,
    topLogprobs,
    isMalformed: fault?.name === 'malformed-call',
  }
  const isBlocked = fault?.name === 'refusal'
  const headers = hosting.presentHeaders(exchange)
  if (method === 'generateContent') {
    const body = JSON.stringify(
      isBlocked ? presentBlock(reply, presenting) : presentAnswer(reply, presenting),
    )
    return sendWhole(exchange, {
      headers: { ...headers, 'content-type': 'application/json; charset=UTF-8' },
      body,
      brokenBody: '<html><body>Bad gateway</body></html>',
      errorBody: overloaded,
      fault,
    })
  }
  const answers = streamAnswer(reply, { ...presenting, isBlocked })
  await sendStream(simulator, exchange, {
    headers: { ...headers, 'content-type': isList ? 'application/json; charset=UTF-8' : 'text/event-stream' },
    frames: isList ? frameList(answers) : frameEvents(answers),
    brokenFrame: 'data: {"candidates": [{"content"\r\n\r\n',
    errorFrame: isList ? `,\r\n${overloaded}]` : `data: ${overloaded}\r\n\r\n`,
    fault,
  })
}

function* frameEvents(answers: Iterable<GenerateAnswer>): Iterable<string> {
  for (const answer of answers) yield `data: ${JSON.stringify(answer)}\r\n\r\n`
}

function* frameList(answers: Iterable<GenerateAnswer>): Iterable<string> {
  let opening = '['
  for (const answer of answers) {
    yield `${opening}${JSON.stringify(answer)}`
    opening = '\r\n,\r\n'
  }
  yield ']'
}
