/** An error of the service, or `unreachable` if there was no response. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: string
  /** The name of the invalid field, if there is one. */
  readonly param: string | undefined
  /** The number of seconds after which to retry, if the service says it. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    message: string,
    details: { code: string; param?: string | undefined; retryAfterSeconds?: number | undefined },
  ) {
    super(message)
    this.code = details.code
    this.param = details.param
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** The body of an error, as the REST API describes it. */
interface ErrorBody {
  msg?: string
  error?: { code?: string; param?: string | null }
}

/**
 * Calls an operation of sign-in. The refresh token stays in a cookie that scripts cannot read. Throws `ServiceError`.
 * `keepalive` finishes a request whose page is closed, so that the browser receives the new cookie.
 */
export async function callAuth<Answer>(
  method: 'GET' | 'POST',
  path: string,
  { body, token }: { body?: object; token?: string | undefined } = {},
): Promise<Answer> {
  const sent = method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}
  const response = await fetch(`/api/v1/auth/${path}`, {
    method,
    keepalive: true,
    headers: {
      'content-type': 'application/json',
      'x-session-cookie': '1',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...sent,
  }).catch(() => undefined)
  return answerOf<Answer>(response)
}

/**
 * Returns the JSON of a response; `response` is undefined if the service did not answer. Throws `ServiceError`, with the
 * service's own message if there is one.
 */
export async function answerOf<Answer>(response: Response | undefined): Promise<Answer> {
  if (!response) throw new ServiceError('The service does not answer.', { code: 'unreachable' })
  if (response.status === 204) return undefined as Answer
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer as Answer
  const { msg, error } = (answer ?? {}) as ErrorBody
  throw new ServiceError(msg ?? `The service answered with status ${response.status}.`, {
    code: error?.code ?? 'unreachable',
    param: error?.param ?? undefined,
    retryAfterSeconds: Number(response.headers.get('retry-after')) || undefined,
  })
}
