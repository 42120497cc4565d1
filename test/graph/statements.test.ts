import { getNamedType, isListType, isObjectType } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { isPermitted } from '../../domain/callers/permissions.ts'
import { directLedger } from '../../domain/committer/open-committer.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { submitTask } from '../../domain/tasks/submit-task.ts'
import { readApi } from '../../gateway/supergraph/read-api.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { aMember, anAccount, anApiKey, anInvitation } from '../harness/an-account.ts'
import { aSettledRequest } from '../harness/ledger/a-settled-request.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { aNewTask } from '../tasks/a-task.ts'
import { operationOf, type RootField } from './an-operation.ts'

const anyOwner = { kind: 'session', accountId: '', userId: '', role: 'owner' } as const
const api = await readApi()
const query = api.getQueryType()
const lists: RootField[] = Object.values(query?.getFields() ?? {})
  .filter(
    ({ type, name }) => name === 'me' || isListType(type) || getNamedType(type).name.endsWith('Connection'),
  )
  .filter(({ name }) => isPermitted(`Query.${name}`, { caller: anyOwner }))
  .map(field => ({ root: 'Query', field }))

const statements: string[] = []

interface Owner {
  token: string
  ids: string[]
}

const control = perFile(() => {
  const limits = { graphMaxTokens: 100_000, graphMaxDepth: 50 }
  const onStatement = (statement: string) => void statements.push(statement)
  return aControlPlane({ GRAPH_MAX_COMPLEXITY: '10000000' }, { limits, onStatement })
})
beforeAll(async () => applyCatalogue(control.context, await theCatalogue()))
const ledger = perFile(() => openLedger(control.context, { kind: 'edge' }), closeLedger)
const few = perFile(() => anOwnerOf(1))
const many = perFile(() => anOwnerOf(9))

/** An account with `count` objects of each type. */
async function anOwnerOf(count: number): Promise<Owner> {
  const { token, accountId, email, password } = await control.aPerson()
  const { context } = control
  const { sql } = context
  await sql`update balances set credits_nanos = 100000000000 where account_id = ${accountId}`
  const ids: string[] = []
  const create = async (path: string, body: object) =>
    (await control.rest('POST', path, { token, body })).body
  for (let made = 0; made < count; made++) {
    const { keyId } = await anApiKey(context, { accountId })
    await create('/api-keys', { name: 'made by a person' })
    const byok = await create('/byok', { provider: 'vendor_a', label: 'own', api_key: 'sk-1234567890' })
    await create('/billing/alerts', { threshold: 5 })
    await create('/budgets', { end_user: `user ${made}`, limit: 5 })
    await create('/auth/log-in', { email, password })
    await aMember(context, { accountId })
    await anInvitation(context, { accountId })
    const { accountId: another } = await anAccount(context)
    await sql`
      insert into memberships (account_id, user_id, role)
      select ${another}, id, 'viewer' from users where email = ${email}`
    const columns = { model: 'vendor_a/atlas', end_user: `user ${made}` }
    const request = await aSettledRequest(sql, { accountId, keyId, costNanos: 1_000n, columns })
    const task = aNewTask(context, { accountId, keyId }, { callbackUrl: 'https://callbacks.example/' })
    await submitTask({ context, ledger: directLedger(ledger) }, task)
    await sql`insert into payments (account_id, id, amount_nanos, currency)
      values (${accountId}, ${context.ids.tagged('pay_')}, 1000000000, 'usd')`
    ids.push(keyId, byok.id, request.id, task.id)
  }
  await sql`
    insert into second_factors (user_id, id, kind, name, created_at, activated_at, credential_id, public_key, counter)
    select user_id, gen_random_uuid(), 'passkey', 'Laptop', now(), now(), uuid_send(gen_random_uuid()), '', 0
    from memberships, generate_series(1, ${count}) where account_id = ${accountId}`
  await sql`
    insert into identities (id, user_id, issuer, subject, created_at, last_used_at)
    select gen_random_uuid(), user_id, 'https://issuer.example', gen_random_uuid()::text, now(), now()
    from memberships, generate_series(1, ${count}) where account_id = ${accountId}`
  return { token, ids }
}

test.each(lists.map(operation => [operation.field.name, operation] as const))(
  '%s takes as many statements for nine of each as for one',
  async (name, operation) => {
    const { query: document, variables } = operationOf(operation, { ids: [''], depth: 3 })
    const ask = async ({ token, ids }: Owner) => {
      statements.length = 0
      const own = name === 'nodes' ? { ...variables, ids0: ids } : variables
      const { data, errors } = await control.graph(document, { token, variables: own })
      expect(errors).toBeUndefined()
      return { data, statements: [...statements] }
    }
    await ask(few) // what the first query of a kind, or of an account, asks besides
    await ask(many)
    const [one, nine] = [await ask(few), await ask(many)]
    expect(shortened(nine.statements)).toEqual(shortened(one.statements))
    if (!shared.includes(name)) expect(sizeOf(nine.data)).toBeGreaterThan(sizeOf(one.data))
  },
)

/** Lists that are the same for every account, have one item for all, or are empty here. */
const shared = [
  'callbackDeliveries',
  'models',
  'popularModels',
  'prices',
  'callbackSecrets',
  'signInDomains',
  'signInIssuers',
  'usage',
]

/** How much an answer holds. */
const sizeOf = (data: unknown) => JSON.stringify(data).length

/** What each statement asks, in any order: without the numbers of its parameters, which lists make more of. */
function shortened(texts: string[]): string[] {
  return texts
    .filter(text => !/select a\.allowances/.test(text)) // read again whenever its copy is too old
    .map(text =>
      text
        .replace(/ \[took [^\]]*\]/, '')
        .replace(/\s+/g, ' ')
        .replace(/[$?]\d*(, ?[$?]\d*)*/g, '$')
        .slice(0, 160),
    )
    .sort()
}

test('every list of the graph is among them', () => {
  expect(lists.length).toBeGreaterThan(8)
  const account = api.getType('Account')
  expect(isObjectType(account) && Object.keys(account.getFields()).length).toBeGreaterThan(5)
})
