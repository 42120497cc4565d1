import { afterAll, beforeAll, expect, test } from 'vitest'
import { aByokSystem, type ByokSystem } from '../../test/harness/a-byok-system.ts'
import { aClient } from '../../test/harness/a-client.ts'
import { updateCredential } from './change-credentials.ts'
import { findCredential } from './credential-records.ts'
import { openCredential } from './seal-credential.ts'
import { sealOpenConfigs } from './seal-open-configs.ts'

let system: ByokSystem

beforeAll(async () => {
  system = await aByokSystem()
})
afterAll(() => system.close())

const config = {
  endpoint: 'https://ours.example',
  note: 'open-before',
  headers: { 'x-team': 7 },
  token: 'sealed',
}

/** A credential as a version wrote it that knew fewer secrets. */
async function anOldOne() {
  const client = await aClient(system)
  const { id } = await system.aCredential(client, 'sim-own', { config })
  const { accountId } = client
  const [row] = await system.context.sql`select * from provider_credentials where id = ${id}`
  const { vault } = system.context
  const place = `provider_credentials/${accountId}/${id}/config_secrets`
  const sealed = vault.seal(JSON.stringify([{ path: ['token'], value: 'sealed' }]), place)
  const old = { ...config, token: '***' }
  await system.context.sql`
    update provider_credentials set config = ${JSON.stringify(old)}::text::jsonb, config_secrets_sealed = ${sealed}
    where id = ${id}`
  expect(row).toBeDefined()
  return { accountId, id }
}

const masked = { endpoint: 'https://ours.example', note: '***', headers: { 'x-team': '***' }, token: '***' }

async function columnsOf({ accountId, id }: { accountId: string; id: string }) {
  const [row] = await system.context.sql`select * from provider_credentials where id = ${id}`
  const opened = openCredential(system.context, {
    accountId,
    id,
    apiKeySealed: null,
    config: row!.config,
    configSecretsSealed: row!.config_secrets_sealed,
  })
  return { shown: row!.config, secrets: opened.config!.secrets.map(({ value }) => value).toSorted() }
}

test('an old row shows no more than a new one', async () => {
  const old = await anOldOne()
  expect((await findCredential(system.management(), old)).config).toEqual(masked)
})

test('an old row is sealed by the command, once, and by whatever changes it; nothing is lost', async () => {
  const [sealed, changed] = [await anOldOne(), await anOldOne()]
  await updateCredential(system.management(), { ...changed, changes: { apiKey: 'sim-other' } })
  const before = await sealOpenConfigs(system.context)
  expect(before.faulty).toEqual([])
  expect(before.sealed).toBeGreaterThan(0)
  for (const credential of [sealed, changed])
    expect(await columnsOf(credential)).toEqual({
      shown: masked,
      secrets: [7, 'open-before', 'sealed'].toSorted(),
    })
  expect(await sealOpenConfigs(system.context)).toEqual({ sealed: 0, faulty: [] })
})

test('a configuration that does not open is named and left', async () => {
  const { id } = await anOldOne()
  await system.context.sql`update provider_credentials set config_secrets_sealed = 'broken' where id = ${id}`
  expect(await sealOpenConfigs(system.context)).toMatchObject({ faulty: [id] })
})
