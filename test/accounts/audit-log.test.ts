import { isObjectType } from 'graphql'
import { expect, onTestFinished, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { permittedTo } from '../../domain/callers/permissions.ts'
import { readApi } from '../../gateway/supergraph/read-api.ts'
import { systemIds } from '../../platform/ids.ts'
import { actorFindingMutations, unrecordedMutations } from '../../subgraphs/runtime/audit-mutations.ts'
import { aControlPlane, type Person } from '../harness/a-control-plane.ts'
import { forThisTest, perFile } from '../harness/per-file.ts'

const operator = mintOperatorKey(systemIds)

const control = perFile(() =>
  aControlPlane({ OPERATOR_KEYS: `ada=${operator.digest}`, TRUSTED_PROXIES: '127.0.0.1/32' }),
)

const entries = async (person: Pick<Person, 'token'>, filter: object = {}) => {
  const { data, errors } = await control.graph(
    `query ($filter: AuditFilterInput) { auditEntries(filter: $filter) { totalCount nodes {
      id action outcome actorKind user { id email } apiKey { id } operator targetType targetId fields address requestId
      createdAt } } }`,
    { token: person.token, variables: { filter } },
  )
  expect(errors).toBeUndefined()
  return data.auditEntries.nodes
}

const address = '198.51.100.7'
const from = { 'x-forwarded-for': address }
const own = { provider: 'vendor_a', label: 'own' }
const actionsOf = (told: { action: string }[]) => told.map(({ action }) => action)
const keysOf = async ({ accountId }: Person) => {
  const [row] = await control.context.sql`
    select count(*)::int as count from api_keys where account_id = ${accountId}`
  return row?.count
}

test('every management action is told: who, what, when, from where; never what was set', async () => {
  const person = await control.aPerson()
  const { token } = person
  const body = { name: 'deploy', credit_limit: 5, ip_whitelist: ['198.51.100.0/24'] }
  const created = await control.rest('POST', '/api-keys', { token, body, headers: from })
  const { id } = created.body
  await control.rest('PUT', `/api-keys/${id}`, { token, body: { disabled: true }, headers: from })
  const secret = 'sk-very-secret-0000000000'
  const sealed = { ...own, api_key: secret }
  const credential = await control.rest('POST', '/byok', { token, body: sealed, headers: from })
  await control.rest('DELETE', `/byok/${credential.body.id}`, { token, headers: from })
  await control.rest('DELETE', `/api-keys/${id}`, { token, headers: from })

  const told = await entries(person)
  expect(actionsOf(told)).toEqual([
    'revokeApiKey',
    'deleteByokCredential',
    'createByokCredential',
    'updateApiKey',
    'createApiKey',
    'signUp',
  ])
  expect(told[4]).toEqual({
    id: expect.stringMatching(/^act_/),
    action: 'createApiKey',
    outcome: 'DONE',
    actorKind: 'SESSION',
    user: { id: expect.any(String), email: person.email },
    apiKey: null,
    operator: null,
    targetType: 'ApiKey',
    targetId: id,
    fields: expect.arrayContaining(['name', 'creditLimit', 'ipWhitelist']),
    address,
    requestId: created.headers.get('x-request-id'),
    createdAt: expect.any(String),
  })
  expect(told[3]).toMatchObject({ targetId: id, fields: ['disabled'] })
  expect(told[5]).toMatchObject({ action: 'signUp', user: { email: person.email } })
  const { sql } = control.context
  const rows = JSON.stringify([...(await sql`select * from audit_log`)])
  for (const hidden of [secret, 'deploy', created.body.key, person.password, '198.51.100.0'])
    expect(rows).not.toContain(hidden)
})

test('GET /api/v1/audit-log: paged by number, for sessions and provisioning keys of the account alone', async () => {
  const { token } = await control.aPerson()
  const make = async (is_provisioning: boolean) =>
    (await control.rest('POST', '/api-keys', { token, body: { name: 'k', is_provisioning } })).body.key
  const [manager, ordinary] = [await make(true), await make(false)]
  const { status, body } = await control.rest('GET', '/audit-log?per_page=2', { token: manager })
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['data', 'total', 'page', 'per_page'])
  expect(body).toMatchObject({ total: 3, page: 1, per_page: 2 })
  expect(body.data[0]).toMatchObject({ action: 'createApiKey', outcome: 'done', actor_kind: 'session' })
  expect((await control.rest('GET', '/audit-log', { token: ordinary })).status).toBe(403)
  const stranger = await control.aPerson()
  const theirs = (await control.rest('GET', '/audit-log', { token: stranger.token })).body.data
  expect(actionsOf(theirs)).toEqual(['signUp'])
  const { data } = await control.graph(`{ node(id: "${body.data[0].id}") { id } }`, { token: stranger.token })
  expect(data.node).toBeNull()
})

test('log-in and log-out are told, also where a key acts its id; filters find them', async () => {
  const person = await control.aPerson()
  const { email, password } = person
  const { body } = await control.rest('POST', '/auth/log-in', { body: { email, password } })
  await control.rest('POST', '/auth/log-out', { token: body.access_token })
  expect(actionsOf(await entries(person, { actions: ['logIn', 'logOut'] }))).toEqual(['logOut', 'logIn'])
  const { key } = (await control.rest('POST', '/api-keys', { token: person.token, body: { name: 'k' } })).body
  const added = await control.rest('POST', '/byok', {
    token: key,
    body: { ...own, api_key: 'sk-1234567890' },
  })
  const [told] = await entries(person, { targetIds: [added.body.id] })
  const byKey = { actorKind: 'KEY', user: null, apiKey: { id: expect.any(String) } }
  expect(told).toMatchObject({ action: 'createByokCredential', ...byKey })
  expect(await entries(person, { until: '2020-01-01T00:00:00Z' })).toEqual([])
})

test('the log of the platform is filtered by operator', async () => {
  const { sql } = control.context
  const add = (id: string, name: string) => sql`
    insert into audit_log (account_id, id, action, state, actor_kind, actor_id)
    values ('00000000-0000-0000-0000-000000000000', ${id}, 'putModel', 'done', 'operator', ${name})`
  await add(control.context.ids.tagged('act_'), 'grace')
  await add(control.context.ids.tagged('act_'), 'linus')
  const platform = { token: operator.key }
  const names = async (filter: object) =>
    (await entries(platform, filter)).map((entry: { operator: string }) => entry.operator)
  expect(await names({ operators: ['grace'] })).toEqual(['grace'])
  expect(await names({ operators: ['grace', 'linus'], actions: ['putModel'] })).toEqual(['linus', 'grace'])
  expect(await names({ operators: ['nobody'] })).toEqual([])
})

test('what was refused is not told, and neither are guesses of strangers', async () => {
  const person = await control.aPerson()
  const { token } = person
  await control.rest('POST', '/api-keys', { token, body: { name: '' } })
  await control.rest('DELETE', '/api-keys/0190a8c0-0000-7000-8000-000000000001', { token })
  await control.rest('POST', '/auth/log-in', { body: { email: person.email, password: 'wrong' } })
  expect(actionsOf(await entries(person))).toEqual(['signUp'])
})

test('an action that fails at its commit is not done, and the log does not say so', async () => {
  const person = await control.aPerson()
  const { sql } = control.database
  await sql.unsafe(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create constraint trigger fail after insert on api_keys initially deferred for each row execute function fail()`)
  onTestFinished(async () => void (await sql.unsafe('drop trigger fail on api_keys; drop function fail()')))
  const { status } = await control.rest('POST', '/api-keys', { token: person.token, body: { name: 'k' } })
  expect(status).toBe(500)
  const [told] = await entries(person)
  expect(told).toMatchObject({ action: 'createApiKey', outcome: 'UNKNOWN' })
  expect(await keysOf(person)).toBe(0)
})

test('a process that dies right after the commit has told: the row is done in the same transaction', async () => {
  const person = await control.aPerson()
  const { sql } = control.database
  await sql.unsafe(`
    create table seen (state text, is_committed boolean);
    create function look() returns trigger language plpgsql as $$ begin
      insert into seen select a.state, true from audit_log a where a.account_id = new.account_id and a.action = 'createApiKey';
      return new; end $$;
    create constraint trigger look after insert on api_keys initially deferred for each row execute function look()`)
  const gone = 'drop trigger look on api_keys; drop function look(); drop table seen'
  onTestFinished(async () => void (await sql.unsafe(gone)))
  await control.rest('POST', '/api-keys', { token: person.token, body: { name: 'k' } })
  expect([...(await sql`select state from seen`)]).toEqual([{ state: 'done' }])
})

test('where the log cannot be written nothing is done', async () => {
  const person = await control.aPerson()
  const { sql } = control.database
  await sql.unsafe('alter table audit_log rename to audit_log_away')
  const { status } = await control
    .rest('POST', '/api-keys', { token: person.token, body: { name: 'k' } })
    .finally(() => sql.unsafe('alter table audit_log_away rename to audit_log'))
  expect(status).toBe(500)
  expect(await keysOf(person)).toBe(0)
})

test('an operator credits and debits with a reason; the account sees who, and why', async () => {
  const person = await control.aPerson()
  const { accountId } = person
  const act = (mutation: string, input: object, token: string = operator.key) =>
    control.graph(
      `mutation ($input: ${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input!) { ${mutation}(input: $input) {
        transaction { id credits paymentMethod reason } balance { credits available } } }`,
      { token, variables: { input }, headers: from },
    )
  const credit = { accountId, amount: '12.5', reason: 'for the outage', idempotencyKey: 'a' }
  const credited = await act('creditAccount', credit)
  expect(credited.errors).toBeUndefined()
  expect(credited.data.creditAccount).toMatchObject({
    transaction: { credits: '12.5', paymentMethod: 'GRANT', reason: 'for the outage' },
    balance: { credits: '12.5', available: '12.5' },
  })
  const again = await act('creditAccount', { ...credit, reason: 'again' })
  expect(again.data.creditAccount.balance.credits).toBe('12.5')
  const debited = await act('debitAccount', { accountId, amount: 2, reason: 'too much' })
  expect(debited.data.debitAccount).toMatchObject({
    transaction: { credits: '-2', paymentMethod: 'ADJUSTMENT', reason: 'too much' },
    balance: { credits: '10.5' },
  })

  const problemOf = async (answer: ReturnType<typeof act>) => (await answer).errors?.[0]?.extensions
  const more = { accountId, amount: 11, reason: 'all' }
  expect(await problemOf(act('debitAccount', more))).toMatchObject({ problem: 'insufficient_credits' })
  expect(await problemOf(act('creditAccount', { ...more, amount: 0 }))).toMatchObject({ param: 'amount' })
  expect(await problemOf(act('creditAccount', { ...more, reason: ' ' }))).toMatchObject({ param: 'reason' })
  const nobody = { ...more, accountId: systemIds.uuid() }
  expect(await problemOf(act('creditAccount', nobody))).toMatchObject({ problem: 'not_found' })
  const odd = { ...more, accountId: 'x' }
  expect(await problemOf(act('creditAccount', odd))).toMatchObject({ param: 'accountId' })
  expect(await problemOf(act('creditAccount', more, person.token))).toMatchObject({ problem: 'forbidden' })
  expect(await problemOf(act('creditAccount', more, ''))).toMatchObject({ problem: 'unauthenticated' })

  const told = await entries(person, { actions: ['creditAccount', 'debitAccount'] })
  const targetId = credited.data.creditAccount.transaction.id
  expect(told).toMatchObject([
    { action: 'debitAccount', operator: 'ada', actorKind: 'OPERATOR', outcome: 'DONE', address },
    { action: 'creditAccount', operator: 'ada' },
    { action: 'creditAccount', targetType: 'Transaction', targetId },
  ])
})

test('an operator is no caller of an account, and nobody else is an operator', async () => {
  const me = await control.graph('{ me { id } }', { token: operator.key })
  expect(me.errors?.[0]?.extensions.problem).toBe('forbidden')
  expect((await control.rest('GET', '/billing/balance', { token: operator.key })).status).toBe(403)
  for (const token of [mintOperatorKey(systemIds).key, 'sk-rb-op-', `${operator.key}x`]) {
    const { errors } = await control.graph('{ reconciliation { accounts } }', { token })
    expect(errors?.[0]?.extensions.problem, token).toBe('unauthenticated')
  }
})

test('operators are kept to their networks', async () => {
  const fenced = forThisTest(
    await aControlPlane({
      OPERATOR_KEYS: `ada=${operator.digest}`,
      OPERATOR_NETWORKS: '10.0.0.0/8, 2001:db8::/32',
      TRUSTED_PROXIES: '127.0.0.1/32',
    }),
  )
  const ask = async (client: string) => {
    const as = { token: operator.key, headers: { 'x-forwarded-for': client } }
    const { errors } = await fenced.graph('{ reconciliation { accounts } }', as)
    return errors?.[0]?.extensions.problem
  }
  for (const inside of ['10.1.2.3', '2001:db8::1']) expect(await ask(inside)).toBeUndefined()
  expect(await ask('192.0.2.1')).toBe('ip_not_allowed')
})

test('every mutation of the graph goes through the log, but for those with a reason', async () => {
  const mutation = (await readApi()).getType('Mutation')
  if (!isObjectType(mutation)) throw new Error('The graph has no mutations')
  const names = Object.keys(mutation.getFields())
  expect([...unrecordedMutations.keys()].filter(name => !names.includes(name))).toEqual([])
  expect(unrecordedMutations.size).toBe(4)
  const { buildSubgraph } = await import('../../subgraphs/runtime/build-subgraph.ts')
  const { subgraphs } = await import('../../subgraphs/subgraphs.ts')
  const seen: string[] = []
  const accountId = systemIds.uuid()
  for (const load of Object.values(subgraphs)) {
    const { schema } = await buildSubgraph((await load()).subgraph)
    for (const [name, field] of Object.entries(schema.getMutationType()?.getFields() ?? {})) {
      if (unrecordedMutations.has(name) || actorFindingMutations.has(name)) continue
      // The resolver stops where it needs more than it is given: its row is written by then.
      const context = probe({ accountId, name, tell: told => seen.push(told) })
      await Promise.resolve(field.resolve?.({}, { input: { accountId } }, context, {} as never)).catch(
        () => {},
      )
    }
  }
  expect(seen.sort()).toEqual(
    names.filter(name => !unrecordedMutations.has(name) && !actorFindingMutations.has(name)).sort(),
  )
})

/** Runs a mutation as a caller who is allowed to. Returns the name of each action that is logged. */
// biome-ignore lint/suspicious/noExplicitAny: a context that has only what the audit log needs
function probe(args: { accountId: string; name: string; tell(name: string): void }): any {
  const { accountId, name, tell } = args
  const isOperators = permittedTo(`Mutation.${name}`)?.includes('operator')
  return {
    ...(isOperators
      ? { operator: { name: 'ada', keyId: '' } }
      : { caller: { kind: 'session', accountId, userId: accountId, role: 'owner' } }),
    ids: systemIds,
    sql(texts: TemplateStringsArray, ...values: unknown[]) {
      if (texts.join('').includes('insert into audit_log')) tell(String(values[2]))
      return Promise.resolve([])
    },
  }
}
