import { callRest, expectSuccess, type RestFace } from './call-rest.ts'

export interface LogIn {
  email: string
  password: string
}

/**
 * The session token of the demo account, which is opened when the database does not have it yet. Throws one line
 * when the database has it under another password.
 */
export async function logInDemo(face: RestFace, logIn: LogIn): Promise<string> {
  const known = await callRest(face, { method: 'POST', path: '/auth/log-in', body: logIn })
  if (known.status !== 401) return tokenOf('log-in', expectSuccess('log-in', known))

  const body = { ...logIn, name: 'Demo' }
  const opened = await callRest(face, { method: 'POST', path: '/auth/sign-up', body })
  if (opened.status === 409)
    throw new Error(
      `the database has ${logIn.email} under another password: use an empty database, or --reset`,
    )
  return tokenOf('sign-up', expectSuccess('sign-up', opened))
}

function tokenOf(what: string, session: Record<string, unknown>): string {
  if (typeof session.access_token === 'string') return session.access_token
  throw new Error(`${what} answered without a session token`)
}
