import { answerOf, ServiceError } from '../session/rest.ts'
import { activeSession, refreshSession } from '../session/session.ts'

/** A response of `/v1`, and the request's ID, under which the log and the graph have it. */
export interface Inferred<Answer> {
  answer: Answer
  requestId: string
}

/**
 * Sends a paid request to `/v1` with the session of this page (docs/behaviour.md, Playground). Throws `ServiceError`, and
 * `AbortError` if `signal` aborts.
 */
export async function callInference<Answer>(path: string, body: object): Promise<Inferred<Answer>> {
  const response = await send(path, { body: JSON.stringify(body), contentType: 'application/json' })
  return { answer: await answerOf<Answer>(response), requestId: requestIdOf(response) }
}

/** Sends a request whose response is a stream of events. `signal` ends it. Throws like `callInference`. */
export async function streamInference(
  path: string,
  { body, signal }: { body: object; signal: AbortSignal },
): Promise<{ stream: ReadableStream<Uint8Array>; requestId: string }> {
  const response = await send(path, { body: JSON.stringify(body), contentType: 'application/json', signal })
  if (!response?.ok || !response.body) {
    await answerOf(response)
    throw new ServiceError('The response is empty.', { code: 'unreachable' })
  }
  return { stream: response.body, requestId: requestIdOf(response) }
}

/** Stores a file and returns its URL, which later requests can name. Throws `ServiceError`. */
export async function uploadFile(file: File): Promise<string> {
  const response = await send('/uploads', { body: file, contentType: file.type })
  return (await answerOf<{ url: string }>(response)).url
}

interface Sending {
  body: BodyInit
  contentType: string
  signal?: AbortSignal
}

/** Resolves to undefined if the service does not answer. */
async function send(path: string, { body, contentType, signal }: Sending): Promise<Response | undefined> {
  const session = await activeSession()
  const response = await fetch(`/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': contentType, authorization: `Bearer ${session?.token}` },
    body,
    ...(signal && { signal }),
  }).catch(error => {
    if (signal?.aborted) throw error
    return undefined
  })
  // A refresh finds out whether the session has ended.
  if (response?.status === 401) refreshSession().catch(() => undefined)
  return response
}

function requestIdOf(response: Response | undefined): string {
  return response?.headers.get('x-request-id') ?? ''
}
