import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { currentSigningKey } from '../domain/accounts/signing-keys.ts'
import { openByokCache } from '../domain/byok/byok-cache.ts'
import { createCredential } from '../domain/byok/create-credential.ts'
import { readCallbackSecrets } from '../domain/callbacks/callback-secrets.ts'
import { createKey } from '../domain/keys/create-key.ts'
import { findKey, openFullKey } from '../domain/keys/key-records.ts'
import { openVault, type Vault } from '../platform/secrets/vault.ts'
import { aManagedSystem } from '../test/harness/a-management-context.ts'
import { anAccount } from '../test/harness/an-account.ts'
import { perFile } from '../test/harness/per-file.ts'
import { rewrapColumn, sealedColumns } from './rewrap-secrets.ts'

const [oldKey, newKey, lostKey] = ['old', 'new', 'lost'].map(
  id => [id, randomBytes(32).toString('base64')] as const,
)
const masterKeys = (...keys: (readonly [string, string] | undefined)[]) =>
  keys.map(key => key?.join('=')).join(',')
const vaultOf = (...keys: (readonly [string, string] | undefined)[]) =>
  openVault(new Map(keys.filter(key => key !== undefined)))

const system = perFile(() => aManagedSystem({ MASTER_KEYS: masterKeys(oldKey) }))

/** Every kind of secret, sealed, and how it is read again by a system with another vault. */
async function everySecret() {
  const { accountId } = await anAccount(system.context)
  const { record, text } = await createKey(system.management(), {
    accountId,
    createdBy: null,
    settings: { name: 'a key' },
  })
  const config = { region: 'eu-west-1', access_key_id: 'AKIAOURS', secret_access_key: 'ours' }
  const settings = { label: 'ours', apiKey: 'sk-ours', config }
  await createCredential(system.management(), { accountId, provider: 'vendor_b', settings })
  await currentSigningKey({ ...system.management(), vault: vaultOf(oldKey, newKey) })
  const [callbackSecret] = await readCallbackSecrets(system.context, { accountId })

  return async (vault: Vault) => {
    const context = { ...system.management(), vault }
    const cache = openByokCache(context)
    const [credential] = await cache.find(accountId, 1n, 'vendor_b')
    await cache.close()
    expect(credential).toMatchObject({ apiKey: 'sk-ours', config })
    expect(openFullKey(context, await findKey(context, { accountId, keyId: record.id }))).toBe(text)
    expect(await readCallbackSecrets(context, { accountId })).toEqual([callbackSecret])
    expect(await currentSigningKey(context)).toMatchObject({ id: expect.any(String) })
  }
}

/** Runs the command and resolves to its output. With `killAfter`, kills it at that line. */
async function rotate(keys: string, options: { args?: string[]; killAfter?: RegExp } = {}) {
  const { args = [], killAfter } = options
  const child = spawn(process.execPath, ['operator/rotate-master-key.ts', ...args], {
    cwd: new URL('..', import.meta.url).pathname,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      DATABASE_URL: system.config.databaseUrl,
      MASTER_KEYS: keys,
    },
  })
  let said = ''
  const hear = (part: Buffer) => {
    said += part.toString()
    if (killAfter?.test(said)) child.kill('SIGKILL')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const [code, signal] = await once(child, 'close')
  return { said, code, signal }
}

const wrappedBy = async (id: string) => {
  const { header } = vaultOf([id, oldKey![1]])
  const counts = await Promise.all(
    sealedColumns.map(({ table, column }) =>
      system.context.sql.unsafe<{ count: bigint }[]>(
        `select count(*) from ${table} where substring(${column} from 1 for ${header.length}) = $1`,
        [header],
      ),
    ),
  )
  return counts.reduce((sum, [row]) => sum + Number(row!.count), 0)
}

test('the list names every sealed column of every table, with its key', async () => {
  const columns = await system.context.sql<{ table: string; column: string; key: string[] }[]>`
    select c.table_name as table, c.column_name as column, (
      select array_agg(a.attname::text order by array_position(i.indkey, a.attnum)) from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
      where i.indrelid = c.table_name::regclass and i.indisprimary) as key
    from information_schema.columns c where c.table_schema = 'public' and c.column_name like '%\\_sealed'`
  const named = (list: { table: string; column: string; key: string[] }[]) =>
    list.map(({ table, column, key }) => `${table}.${column} by ${key.join(', ')}`).toSorted()
  expect(named([...columns])).toEqual(
    named(sealedColumns.map(({ table, column, key }) => ({ table, column, key: Object.keys(key) }))),
  )
})

describe('npm run secrets:rotate', () => {
  test('says what it does', async () => {
    const { said, code } = await rotate(masterKeys(newKey, oldKey), { args: ['--help'] })
    expect([code, said]).toEqual([0, expect.stringContaining('Remove the old key from MASTER_KEYS')])
  })

  test('killed half-way and run again, wraps every secret with the new key and loses none', async () => {
    const read = await everySecret()
    const { accountId } = await anAccount(system.context)
    const vault = vaultOf(oldKey)
    const rows = Array.from({ length: 3_000 }, () => {
      const id = system.context.ids.uuid()
      return {
        account_id: accountId,
        id,
        sealed: vault.seal(`secret ${id}`, `provider_credentials/${accountId}/${id}/api_key`).toString('hex'),
      }
    })
    await system.context.sql`
      insert into provider_credentials (account_id, id, provider, label, api_key_prefix, api_key_sealed)
      select account_id, id, 'vendor_a', 'one of many', '', decode(sealed, 'hex')
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (account_id uuid, id uuid, sealed text)`

    const both = masterKeys(newKey, oldKey)
    const killed = await rotate(both, { args: ['--batch', '10'], killAfter: /api_key_sealed: \d{3} wrapped/ })
    expect(killed.signal).toBe('SIGKILL')
    expect([await wrappedBy('old'), await wrappedBy('new')]).toEqual([
      expect.toSatisfy(isMany),
      expect.toSatisfy(isMany),
    ])
    await read(vaultOf(newKey, oldKey))

    const again = await rotate(both)
    expect(again).toMatchObject({
      code: 0,
      said: expect.stringContaining('every secret is wrapped with new'),
    })
    expect(await wrappedBy('old')).toBe(0)
    await read(vaultOf(newKey))
    await expect(read(vaultOf(oldKey))).rejects.toThrow()
    const sealed = await system.context.sql<{ id: string; api_key_sealed: Buffer }[]>`
      select id, api_key_sealed from provider_credentials where account_id = ${accountId}`
    for (const row of sealed) {
      const associatedData = `provider_credentials/${accountId}/${row.id}/api_key`
      expect(vaultOf(newKey).open(row.api_key_sealed, associatedData)).toBe(`secret ${row.id}`)
    }
    expect(sealed).toHaveLength(3_000)

    expect((await rotate(both)).said).not.toMatch(/[1-9]\d* wrapped/)
  })

  test('names what does not open, wraps the rest, and fails', async () => {
    const read = await everySecret()
    const { accountId } = await anAccount(system.context)
    const settings = { label: 'lost', apiKey: 'sk-lost' }
    const { id } = await createCredential(
      { ...system.management(), vault: vaultOf(lostKey) },
      { accountId, provider: 'vendor_a', settings },
    )
    const { said, code } = await rotate(masterKeys(newKey, oldKey))
    expect(code).toBe(1)
    expect(said).toContain(`provider_credentials.api_key_sealed: ${accountId}/${id} does not open`)
    expect(said).toContain('secrets that do not open with any key of MASTER_KEYS: 1')
    await read(vaultOf(newKey))
    expect(await wrappedBy('lost')).toBe(1)
  })
})

test('a secret that is written while it is wrapped stays as it was written', async () => {
  const { accountId } = await anAccount(system.context)
  const { id } = await createCredential(system.management(), {
    accountId,
    provider: 'vendor_a',
    settings: { label: 'x', apiKey: 'sk-before' },
  })
  const column = sealedColumns.find(({ column: name }) => name === 'api_key_sealed')!
  const associatedData = column.associatedDataOf(accountId, id)
  const { sql } = system.context
  let rewrapping: Promise<unknown> | undefined
  await sql.begin(async tx => {
    const sealed = vaultOf(oldKey).seal('sk-meanwhile', associatedData)
    await tx`update provider_credentials set api_key_sealed = ${sealed} where id = ${id}`
    const options = { batchRows: 500, onBatch: () => {} }
    rewrapping = rewrapColumn({ sql, vault: vaultOf(newKey, oldKey, lostKey) }, column, options)
    await vi.waitUntil(async () => {
      const [waiting] = await tx`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return waiting
    })
  })
  await rewrapping
  const [row] = await sql`select api_key_sealed from provider_credentials where id = ${id}`
  expect(vaultOf(oldKey).open(row!.api_key_sealed, associatedData)).toBe('sk-meanwhile')
})

function isMany(count: number): boolean {
  return count > 100
}
