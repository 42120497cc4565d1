import { isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import type { CallerKind } from '../../domain/callers/permissions.ts'
import { isPermitted, permittedOperations, permittedTo } from '../../domain/callers/permissions.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { readApi } from '../../gateway/supergraph/read-api.ts'
import { systemIds } from '../../platform/ids.ts'
import { aControlPlane, type ControlPlane } from '../harness/a-control-plane.ts'
import { aSettledRequest } from '../harness/a-settled-request.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { idPathsOf, operationOf, type RootField } from './an-operation.ts'

const api = await readApi()
const fields: RootField[] = (['Query', 'Mutation'] as const).flatMap(root => {
  const type = api.getType(root)
  return isObjectType(type) ? Object.values(type.getFields()).map(field => ({ root, field })) : []
})
const nameOf = ({ root, field }: RootField) => `${root}.${field.name}`
// Log-out comes last: it ends the session of the others.
const operations = fields.sort(
  (one, other) => Number(one.field.name === 'logOut') - Number(other.field.name === 'logOut'),
)

const nothing = '0190a8c0-0000-7000-8000-000000000001'
const operator = mintOperatorKey(systemIds)
let control: ControlPlane
const tokens = new Map<CallerKind, string | undefined>()
let strangersIds: string[]
let ownIds: string[]

beforeAll(async () => {
  control = await aControlPlane({
    CALLS_PER_CALLER: '1000000',
    CALLS_PER_ADDRESS: '1000000',
    GRAPH_MAX_COMPLEXITY: '1000000',
    OPERATOR_KEYS: `ada=${operator.digest}`,
  })
  await applyCatalogue(control.context, await theCatalogue())
  const caller = await anAccountWithEverything()
  const stranger = await anAccountWithEverything()
  tokens
    .set('operator', operator.key)
    .set('session', caller.token)
    .set('provisioning', caller.provisioning)
    .set('key', caller.key)
  strangersIds = stranger.ids
  ownIds = caller.ids
})
afterAll(() => control.close())

/** An account with an object of every type that has an id. */
async function anAccountWithEverything() {
  const { token, accountId } = await control.aPerson()
  const create = async (path: string, body: object) =>
    (await control.rest('POST', path, { token, body })).body
  const key = await create('/api-keys', { name: 'an ordinary key' })
  const provisioning = await create('/api-keys', { name: 'a manager', is_provisioning: true })
  const credential = await create('/byok', { provider: 'vendor_a', label: 'own', api_key: 'sk-1234567890' })
  const alert = await create('/billing/alerts', { threshold: 5 })
  const { sql } = control.context
  const request = await aSettledRequest(sql, { accountId, keyId: key.id, costNanos: 1_000n })
  const [transaction] = await sql<
    { id: string }[]
  >`select id from transactions where account_id = ${accountId}`
  const [user] = await sql<{ id: string }[]>`select id from users where account_id = ${accountId}`
  const ids = [accountId, key.id, credential.id, alert.id, request.id, transaction!.id, user!.id]
  return { token, key: key.key, provisioning: provisioning.key, ids }
}

async function run(operation: RootField, options: { kind: CallerKind; id: string; setIds?: string[] }) {
  const { query, variables } = operationOf(operation, options)
  const { data, errors } = await control.graph(query, { token: tokens.get(options.kind), variables })
  const refused = errors?.filter(({ path }) => path === undefined || path.length === 1) ?? []
  return { data, errors, problem: refused[0]?.extensions.problem }
}

describe('the table has every operation', () => {
  test.each(operations.map(nameOf))('%s', operation => {
    expect(permittedTo(operation)?.length).toBeGreaterThan(0)
  })

  test('every subscription among them', () => {
    const subscriptions = Object.keys(api.getSubscriptionType()?.getFields() ?? {})
    expect(subscriptions.filter(name => !permittedTo(`Subscription.${name}`))).toEqual([])
  })

  test('and every field that a part adds to an account', () => {
    const account = api.getType('Account')
    if (!isObjectType(account)) throw new Error('The graph has no Account')
    const added = Object.keys(account.getFields()).filter(name => !['id', 'name', 'createdAt'].includes(name))
    expect(added.filter(name => !permittedTo(`Account.${name}`))).toEqual([])
  })

  test('and nothing that is not there', () => {
    const gone = permittedOperations().filter(operation => {
      const [name = '', field] = operation.split('.')
      const type = api.getType(name)
      if (!isObjectType(type)) return true
      return field !== undefined && !type.getFields()[field]
    })
    expect(gone).toEqual([])
  })
})

const kinds: CallerKind[] = ['nobody', 'operator', 'provisioning', 'key', 'session']
const refusals = ['unauthenticated', 'jwt_required', 'forbidden']

describe('who may not is refused, who may is not', () => {
  test.each(operations.map(operation => [nameOf(operation), operation] as const))(
    '%s',
    async (name, operation) => {
      for (const kind of kinds) {
        const { problem } = await run(operation, { kind, id: nothing })
        const permitted = permittedTo(name)?.includes(kind)
        expect(refusals.includes(problem), `${kind}: ${problem}`).toBe(!permitted)
        if (kind === 'nobody' && !permitted) expect(problem).toBe('unauthenticated')
      }
    },
  )
})

const taking = fields.flatMap(operation =>
  idPathsOf(operation).map(path => [nameOf(operation), path, operation] as const),
)

describe("another account's id is answered like one that does not exist", () => {
  test.each(taking)('%s at %s', async (name, path, operation) => {
    const accounts = kinds.filter(
      kind => !['nobody', 'operator'].includes(kind) && permittedTo(name)?.includes(kind),
    )
    for (const kind of accounts) {
      const shape = async (id: string) => {
        const { data, errors } = await run(operation, { kind, id, setIds: [path] })
        return JSON.stringify({ data, errors }).replaceAll(id, 'ID')
      }
      for (const id of strangersIds) expect(await shape(id), `${kind}: ${id}`).toBe(await shape(alike(id)))
    }
  })

  /** An id of the same form that names nothing. */
  function alike(id: string): string {
    const turned = id.replace(/[0-9a-f](?=[0-9a-f]*$)/, digit => (digit === '0' ? '1' : '0'))
    return turned === id ? nothing : turned
  }

  test('and the objects of that account are as they were', async () => {
    const { sql } = control.context
    const [left] = await sql<{ count: number }[]>`
      select ((select count(*) from api_keys where id = any(${strangersIds.filter(isUuid)}::uuid[]) and revoked_at is null)
        + (select count(*) from provider_credentials where id = any(${strangersIds.filter(isUuid)}::uuid[]))
        + (select count(*) from balance_alerts where id = any(${strangersIds.filter(isUuid)}::uuid[])))::int as count`
    expect(left?.count).toBe(3)
  })

  const isUuid = (id: string) => !id.includes('_')
})

test('an id of one of its own is answered otherwise: the comparison above can fail', async () => {
  const found = async (name: string) => {
    const operation = fields.find(field => nameOf(field) === name)!
    const answers = await Promise.all(ownIds.map(id => run(operation, { kind: 'key', id, setIds: ['id'] })))
    return answers.filter(({ data }) => Object.values(data ?? {})[0] !== null).length
  }
  expect(await found('Query.request')).toBe(1)
  expect(await found('Query.byokCredential')).toBe(1)
  expect(await found('Query.node')).toBeGreaterThan(2)
})

test('what the table does not have nobody may', () => {
  for (const kind of ['session', 'provisioning', 'key'] as const) {
    const caller =
      kind === 'session' ? { kind, accountId: '', userId: '' } : { kind, accountId: '', keyId: '' }
    expect(isPermitted('Query.whatever', { caller })).toBe(false)
  }
  expect(isPermitted('Query.whatever', {})).toBe(false)
  expect(isPermitted('Query.whatever', { operator: { name: 'ada' } })).toBe(false)
})
