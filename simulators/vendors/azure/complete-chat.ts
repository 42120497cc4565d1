import { findFault } from '../faults/find-fault.ts'
import { meetFault } from '../faults/meet-fault.ts'
import { isRecord } from '../json.ts'
import { answerPrompt } from '../model/answer-prompt.ts'
import { lastUserText } from '../model/prompt.ts'
import { identifyAnswer } from '../openai/chat/identify-answer.ts'
import { presentChat } from '../openai/chat/present-chat.ts'
import { streamChat } from '../openai/chat/stream-chat.ts'
import { isMissing } from '../openai/list-models.ts'
import { type ChatRequest, parseChatRequest } from '../openai/request/parse-chat-request.ts'
import type { Exchange, Handler } from '../server/exchange.ts'
import { Refusal } from '../server/refusal.ts'
import { sendStream } from '../server/send-stream.ts'
import { sendWhole } from '../server/send-whole.ts'
import { authenticate } from './authenticate.ts'
import { presentFiltered, streamFiltered } from './present-filter.ts'
import { refuseContent, refuseDeployment, refuseTrouble } from './refuse.ts'

const failure = JSON.stringify({
  error: { code: 'InternalServerError', message: 'Backend returned unexpected response.' },
})

/** POST …/chat/completions, whole or streamed: the deployment stands in the path, or is the model on the v1 surface. */
export const completeChat: Handler = async (simulator, exchange) => {
  const key = authenticate(exchange)
  const request = readRequest(exchange)
  const { prompt } = request
  const text = lastUserText(prompt)
  const fault = findFault({ request: exchange.request, model: prompt.model, text })
  await meetFault(simulator, exchange, { fault, model: prompt.model, text, refuse: refuseTrouble })
  if (fault?.name === 'refusal') throw refuseContent()
  if (exchange.response.destroyed) return

  const partition = JSON.stringify([key, prompt.model, request.cacheKey ?? null])
  const reply = answerPrompt(simulator, { prompt, partition, fault })
  const settings = { identity: identifyAnswer(simulator, { exchange, model: prompt.model }), request }
  const headers = { 'apim-request-id': `sim-${exchange.id}`, 'x-ms-region': 'Simulated' }
  if (!request.isStreamed) {
    const body = JSON.stringify(presentFiltered(presentChat(reply, settings)))
    return sendWhole(exchange, { headers, body, brokenBody: '<html></html>', errorBody: failure, fault })
  }
  await sendStream(simulator, exchange, {
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
    frames: streamFiltered(streamChat(reply, settings)),
    brokenFrame: 'data: {"id":"chatcmpl-\n\n',
    errorFrame: `data: ${failure}\n\n`,
    fault,
  })
}

/** The dated surface does not look at the model in the body, and must be told which version is meant. */
function readRequest(exchange: Exchange): ChatRequest {
  const { params, query, body } = exchange
  const { deployment } = params
  if (deployment !== undefined && !/^\d{4}-\d{2}-\d{2}(-preview)?$/.test(query.get('api-version') ?? ''))
    throw new Refusal({ status: 404, body: { error: { code: '404', message: 'Resource not found' } } })
  const json =
    deployment !== undefined && isRecord(body.json) ? { ...body.json, model: deployment } : body.json
  if (isRecord(json) && typeof json.model === 'string' && isMissing(json.model)) throw refuseDeployment()
  return parseChatRequest({ ...exchange, body: { ...body, json } })
}
