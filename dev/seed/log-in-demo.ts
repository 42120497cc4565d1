import { openAccount } from '../../domain/accounts/open-account.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { callRest, expectSuccess, type RestAnswer, type RestFace } from './call-rest.ts'

export interface LogIn {
  email: string
  password: string
}

/**
 * The session token of the demo account, which is opened when the database does not have it yet: straight in the
 * tables, since sign-up may be closed. Throws one line when the database has it under another password.
 */
export async function logInDemo(face: RestFace, logIn: LogIn, sql: Sql): Promise<string> {
  const post = () => callRest(face, { method: 'POST', path: '/auth/log-in', body: logIn })
  const known = await post()
  if (known.status !== 401) return tokenOf(known)
  await openDemo(logIn, sql)
  return tokenOf(await post())
}

async function openDemo(logIn: LogIn, sql: Sql): Promise<void> {
  try {
    await openAccount({ sql, clock: systemClock, ids: systemIds }, { ...logIn, name: 'Demo' })
  } catch (error) {
    if (!(error instanceof Problem && error.errorName === 'email_taken')) throw error
    const fault = `the database has ${logIn.email} under another password: use an empty database, or --reset`
    throw new Error(fault, { cause: error })
  }
}

function tokenOf(answer: RestAnswer): string {
  const session = expectSuccess('log-in', answer)
  if (typeof session.access_token === 'string') return session.access_token
  throw new Error('log-in answered without a session token')
}
