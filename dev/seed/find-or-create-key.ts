import { callRest, expectSuccess, isRecord, type RestFace } from './call-rest.ts'

/** The full text of the account's working key of that name; made when there is none. */
export async function findOrCreateKey(
  face: RestFace,
  wanted: { name: string; isProvisioning: boolean },
): Promise<string> {
  const listed = await callRest(face, { method: 'GET', path: '/api-keys' })
  const keys = Object.values(expectSuccess('the list of keys', listed)).filter(isRecord)
  const known = keys.find(key => key.name === wanted.name && key.disabled === false && works(key))
  if (typeof known?.full_key === 'string') return known.full_key

  const body = { name: wanted.name, is_provisioning: wanted.isProvisioning }
  const created = expectSuccess(
    'a new key',
    await callRest(face, { method: 'POST', path: '/api-keys', body }),
  )
  return String(created.key)
}

function works({ full_key, expires_at }: Record<string, unknown>): boolean {
  const hasExpired = typeof expires_at === 'string' && Date.parse(expires_at) < Date.now()
  return typeof full_key === 'string' && !hasExpired
}
