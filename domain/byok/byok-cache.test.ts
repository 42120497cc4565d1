import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { Secrets } from '../../platform/secrets/redact-secrets.ts'
import type { ByokProvider } from '../../schema/entities/byok.ts'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { type ByokCache, openByokCache } from './byok-cache.ts'
import { updateCredential } from './change-credentials.ts'
import { createCredential } from './create-credential.ts'
import type { CredentialSettings } from './credential-settings.ts'

const system = perFile(() => aManagedSystem({ ALLOWANCES: 'credentials_per_vendor=100/100' }))

/** A cache, and the statements that it sends. */
function aCache(): { cache: ByokCache; statements: string[] } {
  const statements: string[] = []
  const sql = openPostgres({
    url: system.config.databaseUrl,
    name: 'test-cache',
    maxConnections: 2,
    onStatement: statement => void statements.push(statement),
  })
  const cache = openByokCache({ ...system.context, sql })
  onTestFinished(async () => {
    await cache.close()
    await sql.end({ timeout: 1 })
  })
  return { cache, statements }
}

const add = async (
  accountId: string,
  { provider = 'vendor_a', label = 'a', ...given }: CredentialSettings & { provider?: ByokProvider } = {},
) => {
  const settings = { label, apiKey: 'sk-of-the-account', ...given }
  return (await createCredential(system.management(), { accountId, provider, settings })).id
}

const revisionOf = async (accountId: string) => {
  const [row] = await system.context.sql<{ revision: bigint }[]>`
    select byok_revision as revision from accounts where id = ${accountId}`
  return row!.revision
}

const recordOf = async (id: string) => {
  const [row] = await system.context.sql`select * from provider_credentials where id = ${id}`
  return row!
}

describe('find', () => {
  test('credentials come by priority, then newest first, without disabled ones and other vendors', async () => {
    const { accountId } = await anAccount(system.context)
    const old = await add(accountId)
    const late = await add(accountId, { priority: 5 })
    const latest = await add(accountId)
    const low = await add(accountId, { priority: -5 })
    const disabled = await add(accountId)
    await updateCredential(system.management(), { accountId, id: disabled, changes: { disabled: true } })
    await add(accountId, { provider: 'vendor_b', apiKey: 'sk-of-another-vendor' })
    const found = await aCache().cache.find(accountId, await revisionOf(accountId), 'vendor_a')
    expect(found.map(({ id }) => id)).toEqual([late, latest, old, low])
    expect(found[0]).toEqual({
      ...{ accountId, id: late, vendor: 'vendor_a', apiKey: 'sk-of-the-account', baseUrl: null },
      ...{ config: {}, secrets: expect.any(Secrets), alwaysUse: false },
    })
    expect(found[0]?.secrets.values).toEqual(['sk-of-the-account'])
  })

  test('opens what the configuration carries, under the names that adapters take', async () => {
    const { accountId } = await anAccount(system.context)
    const account = { client_email: 'us@ours.iam.gserviceaccount.com', private_key: 'a key' }
    const vertex = { region: 'eu', service_account: JSON.stringify(account), note: 1 }
    await add(accountId, { provider: 'vendor_c', apiKey: undefined, config: vertex })
    const bedrock = { region: 'us-east-1', secret_access_key: 'ours' }
    await add(accountId, { provider: 'vendor_b', apiKey: 'AKIAOURS', config: bedrock })
    await add(accountId, {
      alwaysUse: true,
      config: { endpoint_url: 'https://Ours.azure.example/', deployment_id: 'gpt' },
    })
    const { cache } = aCache()
    const revision = await revisionOf(accountId)
    expect(await cache.find(accountId, revision, 'vendor_c')).toMatchObject([
      {
        apiKey: '',
        config: { region: 'eu', service_account: { ...account, project_id: 'ours' } },
        secrets: { values: ['', 'a key'] },
      },
    ])
    expect(await cache.find(accountId, revision, 'vendor_b')).toMatchObject([
      {
        config: { region: 'us-east-1', access_key_id: 'AKIAOURS', secret_access_key: 'ours' },
        secrets: { values: ['AKIAOURS', 'ours'] },
      },
    ])
    expect(await cache.find(accountId, revision, 'vendor_a')).toMatchObject([
      { alwaysUse: true, config: { endpoint: 'https://ours.azure.example', deployment: 'gpt' } },
    ])
  })

  test('reads nothing for an account that never had a credential, and once for a revision', async () => {
    const { accountId } = await anAccount(system.context)
    const { cache, statements } = aCache()
    expect(await cache.find(accountId, 0n, 'vendor_a')).toEqual([])
    expect(statements).toEqual([])
    const id = await add(accountId)
    for (let i = 0; i < 3; i++) expect(await cache.find(accountId, 1n, 'vendor_a')).toHaveLength(1)
    expect(await cache.find(accountId, 1n, 'vendor_c')).toEqual([])
    expect(await cache.find(accountId, 1n, 'vendor_c')).toEqual([])
    const reads = () => statements.filter(statement => statement.includes('provider_credentials'))
    expect(reads()).toHaveLength(2)
    await updateCredential(system.management(), { accountId, id, changes: { disabled: true } })
    expect(await cache.find(accountId, 2n, 'vendor_a')).toEqual([])
    expect(await cache.find(accountId, 1n, 'vendor_a')).toEqual([])
    expect(reads()).toHaveLength(3)
  })

  test('many at once are one statement', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => anAccount(system.context)))
    await Promise.all(accounts.map(({ accountId }) => add(accountId)))
    const { cache, statements } = aCache()
    const found = await Promise.all(
      accounts.flatMap(({ accountId }) =>
        ['vendor_a', 'vendor_b'].map(vendor => cache.find(accountId, 1n, vendor)),
      ),
    )
    expect(found.map(({ length }) => length)).toEqual([1, 0, 1, 0, 1, 0, 1, 0, 1, 0])
    for (const [index, credentials] of found.entries())
      for (const credential of credentials) expect(credential.accountId).toBe(accounts[index / 2]!.accountId)
    expect(statements.filter(statement => statement.includes('provider_credentials'))).toHaveLength(1)
  })

  test('a secret moved to another row does not open: the rest are tried, and the row says so', async () => {
    const { accountId } = await anAccount(system.context)
    const [one, two] = [await add(accountId), await add(accountId, { apiKey: 'sk-the-other-one' })]
    await system.context.sql`
      update provider_credentials set api_key_sealed =
        (select api_key_sealed from provider_credentials where id = ${two}) where id = ${one}`
    const { cache } = aCache()
    expect((await cache.find(accountId, 2n, 'vendor_a')).map(({ id }) => id)).toEqual([two])
    await vi.waitUntil(async () => (await recordOf(one)).last_error)
    expect((await recordOf(one)).last_error).toMatch(/cannot be decrypted/)
  })

  test('where a credential with always_use does not open, nothing else is used', async () => {
    const { accountId } = await anAccount(system.context)
    const id = await add(accountId, { alwaysUse: true })
    await system.context.sql`update provider_credentials set api_key_sealed = 'no secret' where id = ${id}`
    const { cache } = aCache()
    for (let i = 0; i < 2; i++)
      await expect(cache.find(accountId, 1n, 'vendor_a')).rejects.toMatchObject({
        errorName: 'upstream_auth',
      })
  })
})

describe('the outcome of a try', () => {
  const aCredential = async (cache: ByokCache) => {
    const { accountId } = await anAccount(system.context)
    const id = await add(accountId)
    const [credential] = await cache.find(accountId, 1n, 'vendor_a')
    return { id, credential: credential! }
  }

  test('a failure is recorded with status and message, a success clears it and advances last_used_at', async () => {
    const { cache } = aCache()
    const { id, credential } = await aCredential(cache)
    const { updated_at: before } = await recordOf(id)
    await cache.recordOutcome(credential, { status: 401, message: 'Incorrect API key: sk-of-the-account.' })
    expect(await recordOf(id)).toMatchObject({
      last_error: '401: Incorrect API key: ***.',
      last_used_at: null,
      updated_at: before,
    })
    await new Promise(resolve => setTimeout(resolve, 150))
    const startedAt = Date.now()
    await cache.recordOutcome(credential)
    const { last_error, last_used_at } = await recordOf(id)
    expect(last_error).toBeNull()
    expect(last_used_at.getTime()).toBeGreaterThanOrEqual(startedAt)
  })

  test('a row whose outcome stays the same is written once a second, and none is lost', async () => {
    const { cache, statements } = aCache()
    const { id, credential } = await aCredential(cache)
    const writes = () =>
      statements.filter(statement => statement.includes('update provider_credentials')).length
    await Promise.all(Array.from({ length: 300 }, () => cache.recordOutcome(credential)))
    expect(writes()).toBe(1)
    const { last_used_at: first } = await recordOf(id)
    const calledAt = Date.now()
    await cache.recordOutcome(credential)
    await vi.waitUntil(() => writes() === 2, { timeout: 2_000 })
    expect(Date.now() - calledAt).toBeGreaterThan(500)
    await vi.waitUntil(async () => (await recordOf(id)).last_used_at > first)
  })

  test('what failed last is what stays, however fast it came', async () => {
    const { cache } = aCache()
    const { id, credential } = await aCredential(cache)
    await cache.recordOutcome(credential)
    await cache.recordOutcome(credential, { status: 429, message: 'slow down' })
    await cache.recordOutcome(credential)
    await cache.recordOutcome(credential, { status: 503, message: 'overloaded sk-of-the-account' })
    await vi.waitUntil(async () => (await recordOf(id)).last_error === '503: overloaded ***', {
      timeout: 900,
    })
  })

  test('what is queued is written when the cache is closed', async () => {
    const { cache } = aCache()
    const { id, credential } = await aCredential(cache)
    await cache.recordOutcome(credential)
    await cache.recordOutcome(credential, { message: 'no first byte in time' })
    await cache.close()
    expect((await recordOf(id)).last_error).toBe('no first byte in time')
  })

  test('two processes that record the same rows do not deadlock', async () => {
    const caches = [aCache().cache, aCache().cache]
    const { accountId } = await anAccount(system.context)
    await Promise.all(Array.from({ length: 30 }, () => add(accountId)))
    const credentials = await caches[0]!.find(accountId, 30n, 'vendor_a')
    expect(credentials).toHaveLength(30)
    await Promise.all([
      ...credentials.map(credential => caches[0]!.recordOutcome(credential)),
      ...credentials.toReversed().map(credential => caches[1]!.recordOutcome(credential)),
    ])
    const [row] = await system.context.sql<{ used: bigint }[]>`
      select count(*) as used from provider_credentials where account_id = ${accountId} and last_used_at is not null`
    expect(row!.used).toBe(30n)
  })
})
