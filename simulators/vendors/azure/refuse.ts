import type { Trouble } from '../faults/meet-fault.ts'
import { refuse, refuseTrouble as refuseAsOpenai } from '../openai/refuse.ts'
import { Refusal } from '../server/refusal.ts'

/** What Azure says of trouble: in OpenAI's words where the model has it, in its own, without type, where Azure has. */
export function refuseTrouble(trouble: Trouble): Refusal {
  const { kind, status, retryAfterMs } = trouble
  if (kind === 'status' && status === 429) {
    const seconds = Math.ceil(retryAfterMs / 1000)
    const message = `Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current pricing tier. Please retry after ${seconds} seconds.`
    return new Refusal({
      status,
      headers: { 'retry-after': String(seconds) },
      body: { error: { code: '429', message } },
    })
  }
  if (kind === 'status' && status === 404) return refuseDeployment()
  if (kind === 'status' && status === 503)
    return new Refusal({ status, body: { statusCode: 503, message: 'Service is temporarily unavailable.' } })
  return refuseAsOpenai(trouble)
}

export function refuseDeployment(): Refusal {
  const message =
    'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.'
  return new Refusal({ status: 404, body: { error: { code: 'DeploymentNotFound', message } } })
}

/** A prompt that its content filter stopped. */
export function refuseContent(): Refusal {
  const message =
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry."
  const { status, body } = refuse(400, message, { param: 'prompt', code: 'content_filter' })
  const innererror = {
    code: 'ResponsibleAIPolicyViolation',
    content_filter_result: { hate: { filtered: true, severity: 'high' } },
  }
  const error = isErrorBody(body) ? { ...body.error, status, innererror } : undefined
  return new Refusal({ status, body: { error } })
}

function isErrorBody(body: unknown): body is { error: object } {
  return typeof body === 'object' && body !== null && 'error' in body
}
