import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openAllowances } from '../allowances/allowances.ts'
import { createPlaygroundKey, openPlaygroundKey } from './playground-key.ts'

const system = perFile(aSystem)

/** A context whose pool has one connection, as if other requests occupied the rest. */
function aContextWithOneConnection() {
  const { config, context, database } = system
  const sql = openPostgres({ url: database.url, name: 'test-narrow', maxConnections: 1 })
  onTestFinished(() => sql.end())
  return { ...context, sql, allowances: openAllowances({ config, sql, redis: context.redis }) }
}

test('concurrent first uses need no second connection while they wait for the account', async () => {
  const context = aContextWithOneConnection()
  const { accountId } = await anAccount(system.context)
  const firstUse = { accountId, actor: { kind: 'session', id: context.ids.uuid() } } as const
  const opened = await Promise.all([1, 2, 3].map(() => openPlaygroundKey(context, firstUse)))
  expect(new Set(opened).size).toBe(1)
  const { accountId: other } = await anAccount(system.context)
  expect(await createPlaygroundKey(context, { accountId: other })).toMatchObject({ isPlayground: true })
})
