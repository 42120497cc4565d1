import { decodeJwt } from 'jose'
import type { SessionCaller } from '../../domain/callers/caller.ts'
import type { Context } from '../../domain/context.ts'
import { isRecord } from '../../platform/checks.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'

/** A person who is logged in. */
export interface Console {
  token: string
  /** Whom the token states. */
  caller: SessionCaller
}

/** Signs a person up who has ten keys and a hundred requests. */
export async function openConsole({ sql, url }: Pick<Context, 'sql'> & { url: string }): Promise<Console> {
  const body = { email: 'bench@example.com', password: 'correct horse' }
  const session = await post(url, '/auth/sign-up', { body })
  const [token, accountId] = [textOf(session, 'access_token'), textOf(session.account, 'id')]
  for (let made = 0; made < 10; made++) {
    const key = await post(url, '/api-keys', { token, body: { name: `key ${made}`, credit_limit: 100 } })
    const keyId = textOf(key, 'id')
    for (let request = 0; request < 10; request++)
      await aSettledRequest(sql, { accountId, keyId, costNanos: 1_000n })
  }
  return { token, caller: { kind: 'session', accountId, userId: textOf(decodeJwt(token), 'sub') } }
}

async function post(
  url: string,
  path: string,
  { token, body }: { token?: string; body: object },
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const record: unknown = await answer.json()
  if (answer.ok && isRecord(record)) return record
  throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(record)}`)
}

function textOf(record: unknown, name: string): string {
  const value = isRecord(record) ? record[name] : undefined
  if (typeof value === 'string') return value
  throw new Error(`An answer without ${name}`)
}
