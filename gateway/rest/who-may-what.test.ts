import { beforeAll, expect, test } from 'vitest'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { routes } from './routes/routes.ts'

type Kind = 'nobody' | 'session' | 'provisioning' | 'key'

const tokens: Record<Kind, string | undefined> = {
  nobody: undefined,
  session: undefined,
  provisioning: undefined,
  key: undefined,
}

const control = perFile(aControlPlane)

beforeAll(async () => {
  const { token } = await control.aPerson()
  const create = async (isProvisioning: boolean) => {
    const body = { name: 'a key', is_provisioning: isProvisioning }
    return (await control.rest('POST', '/api-keys', { token, body })).body.key
  }
  Object.assign(tokens, { session: token, provisioning: await create(true), key: await create(false) })
})

/**
 * The permitted callers of each operation (docs/behaviour.md, Management API). Callers that are not listed are refused:
 * with 401, or with 403 for an ordinary key.
 */
const mayUse = (path: string): Kind[] => {
  const needsNobody =
    /^\/auth\/(sign-up|log-in|start-passkey-log-in|complete-log-in|refresh|confirm-email|request-password-reset|reset-password|accept-invitation|sso\/issuers|sso\/exchange)$/
  if (needsNobody.test(path)) return ['nobody', 'session', 'provisioning', 'key']
  if (/^\/(auth|api-keys|members|invitations)/.test(path)) return ['session']
  if (/^\/billing\/(?!balance|transactions)/.test(path)) return ['session', 'provisioning']
  if (path === '/callback-secrets' || path.startsWith('/budgets')) return ['session', 'provisioning']
  return ['session', 'provisioning', 'key']
}

// Log-out comes last, because it ends the session of the other operations.
const rows = [...routes].sort(
  (one, other) => Number(one.path === '/auth/log-out') - Number(other.path === '/auth/log-out'),
)

test.each(rows.map(({ method, path }) => [method, path]))('%s %s', async (method, path) => {
  const address = path.replace(/\{\w+\}/, 'x')
  const allowed = mayUse(path)
  const order: Kind[] = ['nobody', 'provisioning', 'key', 'session']
  for (const kind of order) {
    const token = tokens[kind]
    const { status, body } = await control.rest(method, address, {
      token,
      ...(method !== 'GET' && { body: {} }),
    })
    const refusal =
      kind === 'nobody'
        ? 'unauthenticated'
        : /^\/(billing\/|budgets|callback-secrets)/.test(path)
          ? 'forbidden'
          : 'jwt_required'
    const isRefused = [401, 403].includes(status) && body.error.code === refusal
    expect(isRefused, `${kind}: ${status}`).toBe(!allowed.includes(kind))
  }
})
