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

/** Signs a person up, and creates ten keys with ten requests each. `url` is the URL of a control plane. */
export async function openConsole(sql: Sql, url: string): Promise<Console> {
  const user = { email: 'bench@example.com', password: 'correct horse' }
  const { access_token: token, account } = await post(`${url}/api/v1/auth/sign-up`, { body: user })
  for (let created = 0; created < 10; created++) {
    const body = { name: `key ${created}`, credit_limit: 100 }
    const { id: keyId } = await post(`${url}/api/v1/api-keys`, { token, body })
    for (let request = 0; request < 10; request++)
      await aSettledRequest(sql, { accountId: account.id, keyId, costNanos: 1_000n })
  }
  return {
    token,
    caller: { kind: 'session', accountId: account.id, userId: decodeJwt(token).sub!, role: 'owner' },
  }
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
