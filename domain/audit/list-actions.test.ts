import { beforeAll, expect, test } from 'vitest'
import { idPrefixAt } from '../../platform/ids.ts'
import type { Slice } from '../../platform/postgres/keyset.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { type ActionFilter, countActions, listActions } from './list-actions.ts'

let accountId: string
const timeOf = (number: number) => new Date(Date.UTC(2026, 0, number))
const idOf = (number: number) => `${idPrefixAt('act_', timeOf(number).getTime())}`

// Six actions, a day apart, by two actors, and one of another account.
const system = perFile(aSystem)

beforeAll(async () => {
  accountId = (await anAccount(system.context)).accountId
  const other = await anAccount(system.context)
  const rows = [
    [accountId, 1, 'logIn', 'ada', null],
    [accountId, 2, 'createApiKey', 'ada', 'key 1'],
    [accountId, 3, 'createApiKey', 'ben', 'key 2'],
    [accountId, 4, 'updateApiKey', 'ada', 'key 1'],
    [accountId, 5, 'updateApiKey', 'ben', 'key 2'],
    [accountId, 6, 'revokeApiKey', 'ben', 'key 1'],
    [other.accountId, 6, 'logIn', 'ada', 'key 1'],
  ] as const
  for (const [account, day, name, actor, target] of rows)
    await system.context.sql`
  insert into audit_log (account_id, id, action, actor_kind, actor_id, target_id, created_at)
  values (${account}, ${idOf(day)}, ${name}, 'session', ${actor}, ${target}, ${timeOf(day)})`
})

const list = async (filter: ActionFilter, slice: Partial<Slice> = {}) =>
  (await listActions(system.context, { accountId, filter, slice: { limit: 10, ...slice } })).map(
    ({ id }) => id,
  )
const ids = (...days: number[]) => days.map(idOf)

test.each<[ActionFilter, number[]]>([
  [{}, [6, 5, 4, 3, 2, 1]],
  [{ names: ['createApiKey', 'revokeApiKey', 'createApiKey'] }, [6, 3, 2]],
  [{ actorIds: ['ada'] }, [4, 2, 1]],
  [{ targetIds: ['key 1', 'key 2'] }, [6, 5, 4, 3, 2]],
  [{ targetIds: ['key 1'], names: ['updateApiKey', 'revokeApiKey'], actorIds: ['ada'] }, [4]],
  [{ names: ['updateApiKey'], actorIds: ['ben'] }, [5]],
  [{ names: [] }, []],
  [{ since: timeOf(2), until: timeOf(5) }, [4, 3, 2]],
  [{ actorIds: ['ben'], since: timeOf(4) }, [6, 5]],
  [{ since: new Date('1800-01-01'), until: new Date('9999-12-31') }, [6, 5, 4, 3, 2, 1]],
])('%j finds the actions of the days %j, newest first, and counts them', async (filter, days) => {
  expect(await list(filter)).toEqual(ids(...days))
  expect(await countActions(system.context, { accountId, filter, max: 100 })).toBe(days.length)
})

test('pages of a filtered list continue after a position, from either end, and by number', async () => {
  const names = ['createApiKey', 'updateApiKey']
  expect(await list({ names }, { limit: 2 })).toEqual(ids(5, 4))
  expect(await list({ names }, { limit: 2, after: [idOf(4)] })).toEqual(ids(3, 2))
  expect(await list({ names }, { limit: 2, fromEnd: true })).toEqual(ids(2, 3))
  expect(await list({ names }, { limit: 2, fromEnd: true, before: [idOf(3)] })).toEqual(ids(4, 5))
  expect(await list({ names }, { limit: 2, offset: 1 })).toEqual(ids(4, 3))
})
