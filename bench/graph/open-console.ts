import { decodeJwt } from 'jose'
import type { SessionCaller } from '../../domain/callers/caller.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'

/** A person who is logged in. */
export interface Console {
  token: string
  /** The caller that the token identifies. */
  caller: SessionCaller
}

/** The person that signs up. */
export const person = { email: 'bench@example.com', password: 'correct horse' }

/** Signs a person up, and creates ten keys with ten requests each. `url` is the URL of a control plane. */
export async function openConsole(sql: Sql, url: string): Promise<Console> {
  const { token, accountId, keyIds } = await signUp(url, { keys: 10 })
  for (const keyId of keyIds)
    for (let request = 0; request < 10; request++)
      await aSettledRequest(sql, { accountId, keyId, costNanos: 1_000n })
  return { token, caller: { kind: 'session', accountId, userId: decodeJwt(token).sub!, role: 'owner' } }
}

/** Signs a person up, and creates keys with a credit limit. `url` is the URL of a control plane. */
export async function signUp(
  url: string,
  { keys }: { keys: number },
): Promise<{ token: string; accountId: string; keyIds: string[] }> {
  const { access_token: token, account } = await post(`${url}/api/v1/auth/sign-up`, { body: person })
  const keyIds: string[] = []
  while (keyIds.length < keys) {
    const body = { name: `key ${keyIds.length}`, credit_limit: 100 }
    keyIds.push((await post(`${url}/api/v1/api-keys`, { token, body })).id)
  }
  return { token, accountId: account.id, keyIds }
}

async function post(url: string, { token, body }: { token?: string; body: object }) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.ok) return JSON.parse(text)
  throw new Error(`${url} answered ${response.status}: ${text}`)
}
