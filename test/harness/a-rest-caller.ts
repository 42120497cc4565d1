export interface RestOptions {
  token?: string | undefined
  /** JSON; a string is sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
}

export interface RestAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of the response body and fail if they are missing
  body: any
}

export type RestCaller = (method: string, path: string, options?: RestOptions) => Promise<RestAnswer>

/** Returns a function that calls the management API at `origin`; paths are relative to `/api/v1`. */
export function aRestCaller(origin: string): RestCaller {
  return async (method, path, { token, body, headers } = {}) => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
  }
}

export interface Person {
  accountId: string
  email: string
  password: string
  /** The session token. */
  token: string
  refreshToken: string
}

let people = 0

/** Signs up a new person. */
export async function aPerson(rest: RestCaller): Promise<Person> {
  people += 1
  const [email, password] = [`person-${people}@example.com`, 'correct horse']
  const { body } = await rest('POST', '/auth/sign-up', { body: { email, password } })
  return {
    email,
    password,
    accountId: body.account.id,
    token: body.access_token,
    refreshToken: body.refresh_token,
  }
}
