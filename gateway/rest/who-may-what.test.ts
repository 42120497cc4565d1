import { beforeAll, expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { systemIds } from '../../platform/ids.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { routes } from './routes/routes.ts'

type Kind = 'nobody' | 'session' | 'provisioning' | 'key' | 'operator' | 'view'

const tokens: Record<Kind, string | undefined> = {
  nobody: undefined,
  session: undefined,
  provisioning: undefined,
  key: undefined,
  operator: undefined,
  view: undefined,
}

const operator = mintOperatorKey(systemIds)
const control = perFile(() => aControlPlane({ OPERATOR_KEYS: `ada=${operator.digest}` }))

beforeAll(async () => {
  const { token, accountId } = await control.aPerson()
  const create = async (isProvisioning: boolean) => {
    const body = { name: 'a key', is_provisioning: isProvisioning }
    return (await control.rest('POST', '/api-keys', { token, body })).body.key
  }
  const view = await control.rest('POST', `/operator/accounts/${accountId}/view`, {
    token: operator.key,
    body: { reason: 'a test' },
  })
  Object.assign(tokens, { session: token, provisioning: await create(true), key: await create(false) })
  Object.assign(tokens, { operator: operator.key, view: view.body.access_token })
})

/**
 * The permitted callers of each operation (docs/behaviour.md, Management API). Callers that are not listed are refused:
 * with 401, or with 403 for an ordinary key, an operator and a view.
 */
const mayUse = (method: string, path: string): Kind[] => {
  const isReadByViews =
    method === 'GET' &&
    !/^\/(auth|operator|callback-secrets|billing\/(card|details|alert-settings))/.test(path)
  return [...mayUseOfAccount(method, path), ...(isReadByViews ? (['view'] as const) : [])]
}

const mayUseOfAccount = (method: string, path: string): Kind[] => {
  const needsNobody =
    /^\/auth\/(sign-up|log-in|start-passkey-log-in|complete-log-in|refresh|confirm-email|request-password-reset|reset-password|accept-invitation|reopen-account|sso\/issuers|sso\/exchange)$/
  if (needsNobody.test(path)) return ['nobody', 'session', 'provisioning', 'key', 'operator']
  if (path.startsWith('/operator')) return ['operator']
  if (/^\/(auth|api-keys|members|invitations)/.test(path) || (method !== 'GET' && /^\/me\b/.test(path)))
    return ['session']
  if (/^\/billing\/(?!balance|transactions)/.test(path)) return ['session', 'provisioning']
  if (/^\/(callback-secrets|callbacks)$/.test(path) || path.startsWith('/budgets'))
    return ['session', 'provisioning']
  return ['session', 'provisioning', 'key']
}

// Log-out comes last, because it ends the session of the other operations.
const rows = [...routes].sort(
  (one, other) => Number(one.path === '/auth/log-out') - Number(other.path === '/auth/log-out'),
)

test.each(rows.map(({ method, path }) => [method, path]))('%s %s', async (method, path) => {
  const address = path.replace(/\{\w+\}/, 'x')
  const allowed = mayUse(method, path)
  const order: Kind[] = ['nobody', 'provisioning', 'key', 'operator', 'view', 'session']
  for (const kind of order) {
    const token = tokens[kind]
    const { status, body } = await control.rest(method, address, {
      token,
      ...(method !== 'GET' && { body: {} }),
    })
    const refusal =
      kind === 'nobody'
        ? 'unauthenticated'
        : ['operator', 'view'].includes(kind) ||
            /^\/(operator|billing\/|budgets|callback-secrets|callbacks$)/.test(path)
          ? 'forbidden'
          : 'jwt_required'
    const isRefused = [401, 403].includes(status) && body.error.code === refusal
    expect(isRefused, `${kind}: ${status}`).toBe(!allowed.includes(kind))
  }
})
