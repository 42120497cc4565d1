import { beforeAll, expect, test } from 'vitest'
import {
  type AccountFilter,
  countAccounts,
  listAccounts,
  maxFound,
  positionOfAccount,
} from '../../domain/accounts/list-accounts.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import type { Slice } from '../../platform/postgres/keyset.ts'
import { aSystem } from '../harness/a-context.ts'
import { aMember } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'

const accounts = [
  ['Ada & Sons', 'ada@sons.example', false],
  ['100% Wool_ltd\\', 'wool@shop.example', false],
  ['Müller GmbH', 'kontakt@MUELLER.example', true],
  ['王伟', 'wang@corp.example', false],
] as const

// Beside the four accounts there are more accounts named `Many` than a search counts.
const system = perFile(aSystem)

beforeAll(async () => {
  const { sql, ids } = system.context
  for (const [name, email, isSuspended] of accounts) {
    const accountId = ids.uuid()
    await sql`insert into accounts (id, name, suspended_at) values (${accountId}, ${name}, ${isSuspended ? new Date() : null})`
    await aMember(system.context, { accountId, email })
  }
  await sql`
  insert into accounts (id, name, created_at)
  select gen_random_uuid(), 'Many ' || n, timestamptz '2020-01-01' + n * interval '1 minute'
  from generate_series(1, ${maxFound + 5}::int) n`
})

const find = async (filter: AccountFilter, slice: Partial<Slice> = {}) =>
  (await listAccounts(system.context, { filter, slice: { limit: 10, ...slice } })).map(({ name }) => name)

test.each([
  ['ada', [0]],
  [' SONS.example ', [0]],
  ['.example', [3, 2, 1, 0]],
  ['100%', [1]],
  ['l_l', [1]],
  ['d\\', [1]],
  ['%%%', []],
  ['mueller', [2]],
  ['王伟', [3]],
  ['a', [3, 2, 1, 0]],
  ["'; --", []],
])('%j is found in names and e-mail addresses', async (search, found) => {
  const names = found.map(index => accounts[index]?.[0])
  expect((await find({ search }, { limit: 2_000 })).filter(name => !name.startsWith('Many'))).toEqual(names)
})

test('a search with more matches than it counts lists them all, newest first', async () => {
  const filter = { search: 'many' }
  const name = (number: number) => `Many ${number}`
  expect(await find(filter, { limit: 2 })).toEqual([name(maxFound + 5), name(maxFound + 4)])
  const [last] = await listAccounts(system.context, { filter, slice: { limit: 1, offset: maxFound + 2 } })
  const after = last && positionOfAccount(last)
  expect(await find(filter, { after })).toEqual([name(2), name(1)])
  expect(await countAccounts(system.context, { filter, max: 100_000 })).toBe(maxFound)
})

test('a search combines with the state, and is counted', async () => {
  expect(await find({ search: '.example', isSuspended: true })).toEqual(['Müller GmbH'])
  expect(await find({ isSuspended: true })).toEqual(['Müller GmbH'])
  expect(
    await countAccounts(system.context, { filter: { search: '.example', isSuspended: false }, max: 10 }),
  ).toBe(3)
})

test('the filter by tier lists accounts whose payments and grants exceed what was taken back', async () => {
  const [paying] = await listAccounts(system.context, { filter: { search: 'ada' }, slice: { limit: 1 } })
  await creditAccount(system.context, {
    accountId: paying!.id,
    amountNanos: 1n,
    source: 'test',
    paymentMethod: 'grant',
  })
  expect(await find({ isPaying: true })).toEqual(['Ada & Sons'])
  expect(await find({ search: '.example', isPaying: false })).toEqual([
    '王伟',
    'Müller GmbH',
    '100% Wool_ltd\\',
  ])
  expect(await countAccounts(system.context, { filter: { isPaying: true }, max: 10 })).toBe(1)
})
