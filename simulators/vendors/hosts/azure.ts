import type OpenAI from 'openai'
import { type Exchange, Refusal } from '../../server/exchange.ts'
import type { Failure, Fault } from '../../server/faults.ts'
import { isRecord } from '../../server/json.ts'
import { checkKey } from '../check-key.ts'
import { type ChatHost, completeChat } from '../openai/chat.ts'
import { refuseFailure as refuseAsOpenai } from '../openai/errors.ts'
import { editImages, generateImages } from '../openai/images.ts'
import { traitsOf } from '../openai/shape.ts'
import { createSpeech } from '../openai/speech.ts'
import type { Handler, VendorApi } from '../simulator.ts'

const host: ChatHost = {
  authenticate,
  prepare,
  checkFault,
  presentHeaders: ({ id }) => ({ 'apim-request-id': `sim-${id}`, 'x-ms-region': 'Simulated' }),
  refuseFailure,
  errorInAnswer: JSON.stringify(
    refuse(500, 'InternalServerError', 'Backend returned unexpected response.').body,
  ),
  presentWhole,
  presentFrames,
}
const operations: [operation: string, handle: Handler][] = [
  ['chat/completions', completeChat(host)],
  ['images/generations', generateImages(host)],
  ['images/edits', editImages(host)],
  ['audio/speech', createSpeech(host)],
]

/** OpenAI's models in a resource of Azure: the endpoint is `{simulator}/azure`. */
export const azure: VendorApi = {
  prefix: '/azure/',
  routes: operations.flatMap(([operation, handle]) => [
    { method: 'POST', path: `/azure/openai/v1/${operation}`, handle },
    {
      method: 'POST',
      path: new RegExp(`^/azure/openai/deployments/(?<deployment>[^/]+)/${operation}$`),
      handle,
    },
  ]),
  presentHeaders: () => ({}),
  refuseUnknown: () => refuse(404, '404', 'Resource not found'),
  refuseTooLarge: () =>
    new Refusal({ status: 413, body: { statusCode: 413, message: 'The request is too large.' } }),
}

/** An error of Azure's own, which has no type. */
function refuse(status: number, code: string, message: string, headers = {}): Refusal {
  return new Refusal({ status, headers, body: { error: { code, message } } })
}

/** Failures are presented as OpenAI presents them where the model has them, else in Azure's own shapes. */
function refuseFailure(failure: Failure): Refusal {
  const { kind, status, retryAfterMs } = failure
  if (kind !== 'status') return refuseAsOpenai(failure)
  if (status === 404) return refuseDeployment()
  if (status === 429) {
    const seconds = Math.ceil(retryAfterMs / 1000)
    const message = `Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current pricing tier. Please retry after ${seconds} seconds.`
    return refuse(429, '429', message, { 'retry-after': String(seconds) })
  }
  if (status === 503)
    return new Refusal({ status, body: { statusCode: 503, message: 'Service is temporarily unavailable.' } })
  return refuseAsOpenai(failure)
}

function refuseDeployment(): Refusal {
  const message =
    'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.'
  return refuse(404, 'DeploymentNotFound', message)
}

/** The fault `refusal`: a prompt that the content filter stopped. */
function checkFault(fault: Fault | undefined): void {
  if (fault?.name !== 'refusal') return
  const error = {
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
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

/** The key of a resource, in Azure's own header: an `Authorization` is for tokens of Entra, and none is known. */
function authenticate({ request }: Exchange): string {
  const refuseKey = () =>
    refuse(
      401,
      '401',
      'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
    )
  return checkKey(String(request.headers['api-key'] ?? ''), { refuseKey, refuseFailure })
}

/**
 * The deployment is in the path, or the model in the body on the v1 surface. The dated surface ignores the model in
 * the body, and requires a version.
 */
function prepare(exchange: Exchange): Exchange {
  const { params, query, body } = exchange
  const { deployment } = params
  if (deployment !== undefined && !/^\d{4}-\d{2}-\d{2}(-preview)?$/.test(query.get('api-version') ?? ''))
    throw refuse(404, '404', 'Resource not found')
  const json =
    deployment !== undefined && isRecord(body.json) ? { ...body.json, model: deployment } : body.json
  if (isRecord(json) && typeof json.model === 'string' && traitsOf(json.model).isMissing)
    throw refuseDeployment()
  return { ...exchange, body: { ...body, json } }
}

const harmless = { filtered: false, severity: 'safe' }
const content_filter_results = { hate: harmless, self_harm: harmless, sexual: harmless, violence: harmless }
const prompt_filter_results = [{ prompt_index: 0, content_filter_results }]

/** An answer with what the content filter found in it. */
function presentWhole(completion: OpenAI.ChatCompletion): object {
  const choices = completion.choices.map(choice => ({ ...choice, content_filter_results }))
  return { ...completion, choices, prompt_filter_results }
}

/**
 * A stream with what the content filter found: first of the prompt, in a chunk without a choice, an id or a model;
 * in every chunk with a choice of that; and behind the answer once more, in a chunk whose choice has no delta.
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
