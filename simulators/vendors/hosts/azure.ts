import type OpenAI from 'openai'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import { isRecord } from '../../server/json.ts'
import type { Failure, Fault } from '../faults.ts'
import { checkKey } from '../host.ts'
import { completeChat } from '../openai/chat.ts'
import { refuseFailure as refuseAsOpenai } from '../openai/host.ts'
import { answerImages, createSpeech } from '../openai/media.ts'
import type { VendorApi } from '../simulator.ts'

const host = {
  /** The key of the resource. The simulator does not support Entra tokens. */
  authenticate: ({ request }: Exchange) => checkKey(String(request.headers['api-key'] ?? ''), refuseFailure),
  ...{ prepare, checkFault, refuseFailure, presentWhole, presentFrames },
  errorInAnswer: refuse(500, 'InternalServerError', 'Backend returned unexpected response.').answer.body,
}
const operations = {
  'chat/completions': completeChat(host),
  'images/generations': answerImages(host),
  'images/edits': answerImages(host),
  'audio/speech': createSpeech(host),
}
const routes = Object.entries(operations).flatMap(([operation, handle]) => [
  [`POST /azure/openai/v1/${operation}`, handle],
  [`POST /azure/openai/deployments/:deployment/${operation}`, handle],
])

/** OpenAI's models in an Azure resource, whose endpoint is `{simulator}/azure`. */
export const azure: VendorApi = {
  routes: Object.fromEntries(routes),
  presentHeaders: ({ id }) => ({ 'apim-request-id': `sim-${id}`, 'x-ms-region': 'Simulated' }),
}

/** An error in Azure's format, which has no type. */
function refuse(status: number, code: string, message: string, headers = {}): Refusal {
  return new Refusal({ status, headers, body: { error: { code, message } } })
}

/** Presents failures of the gateway in Azure's format, and failures of the model in OpenAI's format. */
function refuseFailure(failure: Failure): Refusal {
  const { kind, status, retryAfterMs } = failure
  if (kind === 'key') return refuse(401, '401', 'Access denied due to invalid subscription key.')
  if (kind === 'status' && status === 404)
    return refuse(404, 'DeploymentNotFound', 'The API deployment for this resource does not exist.')
  if (status === 429) {
    const seconds = Math.ceil(retryAfterMs / 1000)
    return refuse(429, '429', `Please retry after ${seconds} seconds.`, { 'retry-after': String(seconds) })
  }
  if (status === 503)
    return new Refusal({ status, body: { statusCode: 503, message: 'Service is temporarily unavailable.' } })
  return refuseAsOpenai(failure)
}

/** Throws the content filter's error for the fault `refusal`. */
function checkFault(fault: Fault | undefined): void {
  if (fault?.name !== 'refusal') return
  const error = {
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    type: 'invalid_request_error',
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: {
      code: 'ResponsibleAIPolicyViolation',
      content_filter_result: { hate: { filtered: true, severity: 'high' } },
    },
  }
  throw new Refusal({ status: 400, body: { error } })
}

/**
 * Sets the model. In dated versions of the API it is the deployment in the path, and `api-version` is required. In v1
 * it is the model in the body.
 */
function prepare(exchange: Exchange): Exchange {
  const { params, query, json } = exchange
  const { deployment: model } = params
  if (model === undefined || !isRecord(json)) return exchange
  if (!/^\d{4}-\d{2}-\d{2}(-preview)?$/.test(query.get('api-version') ?? ''))
    throw refuse(404, '404', 'Resource not found')
  return { ...exchange, json: { ...json, model } }
}

const safe = { filtered: false, severity: 'safe' }
const content_filter_results = { hate: safe, self_harm: safe, sexual: safe, violence: safe }
const prompt_filter_results = [{ prompt_index: 0, content_filter_results }]

/** Adds the results of the content filter to an answer. */
function presentWhole(completion: OpenAI.ChatCompletion): object {
  const choices = completion.choices.map(choice => ({ ...choice, content_filter_results }))
  return { ...completion, choices, prompt_filter_results }
}

/**
 * Adds the results of the content filter to a stream: for the prompt in a first chunk without a choice, ID or model;
 * for the answer in each choice, and in a last chunk whose choice has no delta.
 */
function* presentFrames(frames: Iterable<string>): Iterable<string> {
  const frame = (chunk: object) =>
    `data: ${JSON.stringify({ choices: [], created: 0, id: '', model: '', object: '', ...chunk })}\n\n`
  const results = JSON.stringify(content_filter_results)
  const content_filter_offsets = { check_offset: 0, start_offset: 0, end_offset: 40 }
  const last = { index: 0, finish_reason: null, content_filter_results, content_filter_offsets }
  yield frame({ prompt_filter_results })
  for (const text of frames) {
    if (text === 'data: [DONE]\n\n') yield frame({ choices: [last] })
    yield text.replaceAll('"finish_reason":', `"content_filter_results":${results},"finish_reason":`)
  }
}
