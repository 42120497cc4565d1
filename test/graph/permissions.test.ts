import { type GraphQLInterfaceType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { newDeliveryId, queueDelivery } from '../../domain/callbacks/queue-delivery.ts'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { isPermitted, permittedOperations, permittedTo } from '../../domain/callers/permissions.ts'
import type { Callers } from '../../domain/callers/scopes.ts'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import { readApi } from '../../gateway/supergraph/read-api.ts'
import { systemIds } from '../../platform/ids.ts'
import { type Role, roles } from '../../schema/entities/accounts.ts'
import { type KeyScope, keyScopes } from '../../schema/entities/keys.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { anInvitation, joinAccount } from '../harness/an-account.ts'
import { aSettledRequest } from '../harness/ledger/a-settled-request.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { aNewTask } from '../tasks/a-task.ts'
import { idPathsOf, operationOf, type RootField } from './an-operation.ts'

const api = await readApi()
const fields: RootField[] = (['Query', 'Mutation'] as const).flatMap(root => {
  const type = api.getType(root)
  return isObjectType(type) ? Object.values(type.getFields()).map(field => ({ root, field })) : []
})
const nameOf = ({ root, field }: RootField) => `${root}.${field.name}`
// These come last, one after the other: they end the session of the others.
const ending = ['leaveAccount', 'logOut']
const operations = fields.sort(
  (one, other) => ending.indexOf(one.field.name) - ending.indexOf(other.field.name),
)

const nothing = '0190a8c0-0000-7000-8000-000000000001'
const operator = mintOperatorKey(systemIds)
/** A kind of caller; a role is a session with this role. */
type CallerKind = Role | ProvisioningKind | 'key' | 'operator' | 'view' | 'nobody'
/** A provisioning key with one scope. */
type ProvisioningKind = `provisioning ${KeyScope}`

/** Returns the caller that the table is asked about. */
function callersOf(kind: CallerKind): Callers {
  if (kind === 'nobody') return {}
  const ada = { name: 'ada', keyId: '' }
  if (kind === 'operator') return { operator: ada }
  const accountId = ''
  if (kind === 'view') return { caller: { kind, accountId, operator: ada } }
  if (kind === 'key') return { caller: { kind, accountId, keyId: '' } }
  const role = roles.find(one => one === kind)
  if (role) return { caller: { kind: 'session', accountId, userId: '', role } }
  const scopes = keyScopes.filter(scope => kind === `provisioning ${scope}`)
  return { caller: { kind: 'provisioning', accountId, keyId: '', scopes } }
}

const tokens = new Map<CallerKind, string | undefined>()
let strangersIds: string[]
let ownIds: string[]

const control = perFile(() =>
  aControlPlane(
    {
      CALLS_PER_ADDRESS: '1000000',
      GRAPH_MAX_COMPLEXITY: '1000000',
      OPERATOR_KEYS: `ada=${operator.digest}`,
    },
    { limits: { graphMaxTokens: 100_000 } },
  ),
)

beforeAll(async () => {
  await applyCatalogue(control.context, await theCatalogue())
  const caller = await anAccountWithEverything()
  const stranger = await anAccountWithEverything()
  const view = `mutation { viewAccount(input: { accountId: "${caller.accountId}", reason: "a test" }) { accessToken } }`
  const { data } = await control.graph(view, { token: operator.key })
  tokens.set('operator', operator.key).set('key', caller.key).set('view', data.viewAccount.accessToken)
  for (const scope of keyScopes) {
    const body = { name: scope, is_provisioning: true, scopes: [scope] }
    const { body: made } = await control.rest('POST', '/api-keys', { token: caller.token, body })
    tokens.set(`provisioning ${scope}`, made.key)
  }
  tokens.set('owner', caller.token)
  for (const role of roles)
    if (role !== 'owner') tokens.set(role, await joinAccount(control, { accountId: caller.accountId, role }))
  strangersIds = stranger.ids
  ownIds = caller.ids
})

/** An account with an object of every type that has an id. */
async function anAccountWithEverything() {
  const { token, accountId } = await control.aPerson()
  const create = async (path: string, body: object) =>
    (await control.rest('POST', path, { token, body })).body
  const key = await create('/api-keys', { name: 'an ordinary key' })
  const credential = await create('/byok', { provider: 'vendor_a', label: 'own', api_key: 'sk-1234567890' })
  const alert = await create('/billing/alerts', { threshold: 5 })
  const budget = await create('/budgets', { end_user: 'ada', limit: 5 })
  const { context } = control
  const { sql } = context
  await sql`update balances set credits_nanos = 100000000000 where account_id = ${accountId}`
  const request = await aSettledRequest(sql, { accountId, keyId: key.id, costNanos: 1_000n })
  const ledger = await openLedger(context, { kind: 'edge' })
  const task = aNewTask(context, { accountId, keyId: key.id })
  await submitTask({ context, ledger: directLedger(ledger) }, task)
  await closeLedger(ledger)
  const [delivery, payment] = [newDeliveryId(context), context.ids.tagged('pay_')]
  const told = { event: 'test', url: 'https://example.com/', body: '{}' }
  await queueDelivery(sql, { accountId, id: delivery, ...told })
  await sql`insert into payments (account_id, id, amount_nanos, currency) values (${accountId}, ${payment}, 1, 'usd')`
  const invitation = await anInvitation(context, { accountId })
  await sql`
    insert into identities (id, user_id, issuer, subject, created_at, last_used_at)
    select gen_random_uuid(), user_id, 'https://issuer.example', gen_random_uuid()::text, now(), now()
    from memberships where account_id = ${accountId}`
  const found = await sql<{ id: string }[]>`
    select id from transactions where account_id = ${accountId}
    union all select user_id::text from memberships where account_id = ${accountId}
    union all select i.id::text from memberships m join identities i using (user_id) where m.account_id = ${accountId}
    union all select family_id::text from refresh_tokens where account_id = ${accountId}
    union all (select id from audit_log where account_id = ${accountId} limit 1)`
  const made = [
    accountId,
    key.id,
    credential.id,
    alert.id,
    budget.id,
    request.id,
    task.id,
    delivery,
    payment,
    invitation,
  ]
  const ids = [...made, ...found.map(({ id }) => id)]
  return { accountId, token, key: key.key, ids }
}

/** Calls an operation with each id, in one document. Resolves to what came of each. */
async function run(operation: RootField, options: { kind: CallerKind; ids: string[]; setIds?: string[] }) {
  const { query, variables } = operationOf(operation, options)
  const { data, errors = [] } = await control.graph(query, { token: tokens.get(options.kind), variables })
  return options.ids.map((_, index) => {
    const alias = `a${index}`
    const faults = errors.filter(({ path }) => path === undefined || path[0] === alias)
    const refused = faults.find(({ path }) => path === undefined || path.length === 1)
    const answer = { value: data?.[alias] ?? null, faults }
    return { answer, problem: refused?.extensions.problem, alias }
  })
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

const managers = keyScopes.map((scope): ProvisioningKind => `provisioning ${scope}`)
const kinds: CallerKind[] = ['nobody', 'operator', 'view', ...managers, 'key', ...roles]
const refusals = ['unauthenticated', 'jwt_required', 'forbidden']

/** Several at a time, but the last ones, which end the session, one after the other. */
async function inTurns<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>) {
  const results: Result[] = []
  const together = items.length - ending.length
  for (let at = 0; at < together; at += 8)
    results.push(...(await Promise.all(items.slice(at, Math.min(at + 8, together)).map(act))))
  for (const last of items.slice(Math.max(0, together))) results.push(await act(last))
  return results
}

const taking = fields.flatMap(operation =>
  idPathsOf(operation).map(path => [nameOf(operation), path, operation] as const),
)

describe("another account's id is answered like one that does not exist", () => {
  test.each(kinds.filter(kind => kind !== 'nobody' && kind !== 'operator'))('%s', async kind => {
    const permitted = taking.filter(([name]) => isPermitted(name, callersOf(kind)))
    expect(permitted.length).toBeGreaterThan(2)
    await inTurns(permitted, async ([name, path, operation]) => {
      const alikes = new Map(strangersIds.map(id => [formOf(id), alike(id)]))
      const ids = [...alikes.values(), ...strangersIds]
      const done = await run(operation, { kind, ids, setIds: [path] })
      const shapes = done.map(({ answer, alias }, index) =>
        JSON.stringify(answer).replaceAll(ids[index]!, 'ID').replaceAll(`"${alias}"`, 'ALIAS'),
      )
      const shapeOf = (id: string | undefined) => shapes[ids.indexOf(id ?? '')]
      for (const id of strangersIds)
        expect(shapeOf(id), `${name} at ${path}: ${id}`).toBe(shapeOf(alikes.get(formOf(id))))
    })
  })

  /** What an id begins with: `txn_`, or nothing where it is a UUID. */
  function formOf(id: string): string {
    return /^[a-z]+_/.exec(id)?.[0] ?? ''
  }

  /** An id of the same form that names nothing. */
  function alike(id: string): string {
    return id.replace(/[0-9a-f](?=[0-9a-f]*$)/, digit => (digit === '0' ? '1' : '0'))
  }

  test('and the objects of that account are as they were', async () => {
    const { sql } = control.context
    const [left] = await sql<{ count: number }[]>`
      select ((select count(*) from api_keys where id = any(${strangersIds.filter(isUuid)}::uuid[]) and revoked_at is null)
        + (select count(*) from provider_credentials where id = any(${strangersIds.filter(isUuid)}::uuid[]))
        + (select count(*) from memberships where user_id = any(${strangersIds.filter(isUuid)}::uuid[]) and role = 'owner')
        + (select count(*) from invitations where id = any(${strangersIds.filter(isUuid)}::uuid[]))
        + (select count(*) from budgets where id = any(${strangersIds.filter(isUuid)}::uuid[]))
        + (select count(*) from balance_alerts where id = any(${strangersIds.filter(isUuid)}::uuid[]))
        + (select count(*) from tasks where id = any(${strangersIds}) and finished_at is null)
        + (select count(*) from deliveries where id = any(${strangersIds}) and state = 'pending'))::int as count`
    expect(left?.count).toBe(8)
  })

  const isUuid = (id: string) => !id.includes('_')
})

test('an id of one of its own is answered otherwise: the comparison above can fail, for every type with an id', async () => {
  const found = async (name: string, kind: CallerKind = 'key') => {
    const operation = fields.find(field => nameOf(field) === name)!
    const done = await run(operation, { kind, ids: ownIds, setIds: ['id'] })
    return done.flatMap(({ answer }) => answer.value ?? [])
  }
  const ofAccounts = api.getPossibleTypes(api.getType('Node') as GraphQLInterfaceType)
  const typesFound = (await found('Query.node', 'owner')).map(({ __typename }) => __typename)
  const expected = ofAccounts.map(({ name }) => name).filter(name => name !== 'Model')
  expect(typesFound.toSorted()).toEqual(expected.sort())
  expect(await found('Query.request')).toHaveLength(1)
  expect(await found('Query.byokCredential')).toHaveLength(1)
  expect((await found('Query.node')).length).toBeGreaterThan(2)
})

// The last of all: it ends with a log-out.
test.each(kinds)('who may not is refused, who may is not: %s', async kind => {
  const refused = async (operation: RootField) => {
    const [done] = await run(operation, { kind, ids: [nothing] })
    return refusals.includes(done?.problem) ? done?.problem : 'not refused'
  }
  const expected = (operation: RootField) => {
    if (isPermitted(nameOf(operation), callersOf(kind))) return 'not refused'
    return kind === 'nobody' ? 'unauthenticated' : expect.stringMatching(new RegExp(refusals.join('|')))
  }
  const found = await inTurns(operations, async operation => [nameOf(operation), await refused(operation)])
  expect(found).toEqual(operations.map(operation => [nameOf(operation), expected(operation)]))
})

test.each(kinds)('an operation that the table does not list is denied: %s', kind => {
  expect(isPermitted('Query.whatever', callersOf(kind))).toBe(false)
})
