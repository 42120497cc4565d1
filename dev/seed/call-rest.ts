/** The REST face of a running system, with or without somebody logged in. */
export interface RestFace {
  baseUrl: string
  jwt?: string
}

export interface RestAnswer {
  status: number
  body: unknown
}

/** Calls the management surface as any client would. Throws when nobody answers. */
export async function callRest(
  face: RestFace,
  call: { method: 'GET' | 'POST'; path: string; body?: object },
): Promise<RestAnswer> {
  const response = await fetch(`${face.baseUrl}/api/v1${call.path}`, {
    method: call.method,
    headers: {
      'content-type': 'application/json',
      ...(face.jwt !== undefined && { authorization: `Bearer ${face.jwt}` }),
    },
    ...(call.body && { body: JSON.stringify(call.body) }),
    signal: AbortSignal.timeout(30_000),
  })
  return { status: response.status, body: await response.json() }
}

/** The answer's body as an object, or as a list of them. Throws, with the answer's own words, unless it is a success. */
export function expectSuccess(what: string, { status, body }: RestAnswer): Record<string, unknown> {
  if (status < 300 && isRecord(body)) return body
  throw new Error(
    `${what} was answered with ${status}: ${isRecord(body) ? String(body.msg) : 'no JSON object'}`,
  )
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
