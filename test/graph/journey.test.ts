import OpenAI from 'openai'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { startEdge } from '../../inference-edge/start-edge.ts'
import { systemIds } from '../../platform/ids.ts'
import { decimalDollars, NANOS_PER_DOLLAR, nanos } from '../../platform/money.ts'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { saying } from '../harness/a-client.ts'
import { aControlPlane, type Person } from '../harness/a-control-plane.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { type Protocol, protocols, type Result } from '../tasks/subscribers.ts'

const operator = mintOperatorKey(systemIds)
const statements: string[] = []

const simulator = perFile(startSimulator)
const control = perFile(() => {
  const vendor = {
    VENDOR_A_API_KEY: 'sim-platform-key',
    VENDOR_A_BASE_URL: `${simulator.url}/openai/v1`,
    SHUTDOWN_GRACE_MS: '2000',
    OPERATOR_KEYS: `ada=${operator.digest}`,
  }
  return aControlPlane(vendor, { onStatement: statement => statements.push(statement) })
})
beforeAll(async () => applyCatalogue(control.context, await theCatalogue()))
const edge = perFile(() => startEdge(control.config))

const journey = `{
  me { balance { credits held available } apiKeys { name usage { requests spent } } }
}`

test('what the SDK was answered and charged shows in one query', async () => {
  const { token } = await aRichPerson()
  const busy = await aKey(token, 'busy')
  await aKey(token, 'idle')
  const openai = new OpenAI({ apiKey: busy.key, baseURL: `${edge.url}/v1`, maxRetries: 0 })
  await openai.chat.completions.create(saying('How far is the moon?'))
  await openai.chat.completions.create(saying('And the sun?'))

  const { status, data, errors } = await control.graph(journey, { token })

  const spentNanos = await costOfRequests(token, busy.id)
  const credits = decimalDollars(100n * NANOS_PER_DOLLAR - spentNanos)
  expect(spentNanos).toBeGreaterThan(0n)
  expect(errors).toBeUndefined()
  expect(status).toBe(200)
  expect(data.me).toEqual({
    balance: { credits, held: '0', available: credits },
    apiKeys: [
      { name: 'idle', usage: { requests: 0, spent: '0' } },
      { name: 'busy', usage: { requests: 2, spent: decimalDollars(spentNanos) } },
    ],
  })
})

/** Statements that read who calls, and with which allowances. Each process caches the rows for about a second. */
const readsCaller = /signing_keys|refresh_tokens|a\.allowances/

test('it takes as many statements for twenty keys as for one', async () => {
  const [one, many] = [await aRichPerson(), await aRichPerson()]
  await aKey(one.token, 'only')
  for (let count = 0; count < 20; count++) await aKey(many.token, `key ${count}`)
  const ask = async ({ token }: Person) => {
    const all = await statementsOf(() => control.graph(journey, { token }))
    return all.filter(statement => !readsCaller.test(statement))
  }

  const forOne = await ask(one)
  const forTwenty = await ask(many)

  expect([forOne.length, forTwenty.length]).toEqual([4, 4])
  for (const table of ['accounts', 'balances', 'api_keys', 'key_budgets', 'usage_totals']) {
    expect(forTwenty.filter(statement => statement.includes(table))).toHaveLength(1)
  }
})

const putModel = `mutation ($input: PutModelInput!) { putModel(input: $input) {
  model { id inferenceId revision isActive pricing { rates { price } } } } }`
const updateModel = `mutation ($input: UpdateModelInput!) { updateModel(input: $input) {
  model { isActive revision pricing { model { id } } } } }`
const deleteModel = 'mutation ($input: DeleteModelInput!) { deleteModel(input: $input) { deletedModelId } }'
const changeModels = `mutation ($input: ChangeModelsInput!) { changeModels(input: $input) {
  models { id } deletedModelIds } }`

/** A document as an operator. */
const operate = (query: string, input?: object) =>
  control.graph(query, { token: operator.key, ...(input && { variables: { input } }) })

/** The entry of Atlas Mini as operators read it. */
async function atlasMini() {
  const { data } = await operate(
    '{ catalogueEntry(id: "chat.atlas-mini") { origin declaration model { revision } } }',
  )
  const { model, ...entry } = data.catalogueEntry
  return { ...entry, revision: model.revision }
}

test('a model that an operator puts is told to who watches, can be called and is priced; then it is withdrawn', async () => {
  const { token } = await aRichPerson()
  const { key } = await aKey(token, 'new')
  const openai = new OpenAI({ apiKey: key, baseURL: `${edge.url}/v1`, maxRetries: 0 })
  const chat = () => openai.chat.completions.create(saying('Hi', 'vendor_a/atlas-new'))
  await expect(chat()).rejects.toThrow('There is no active chat model')
  const watching = [await watch('graphql-ws', token), await watch('graphql-sse', operator.key)]
  const told = async () => (await Promise.all(watching.map(next => next()))).map(modelsOf)

  const rates = ['input', 'output'].map(of => ({ of, price: '3 per 1M tokens' }))
  const { declaration } = await atlasMini()
  const id = 'chat.atlas-new'
  const entry = { ...declaration, id, model: 'vendor_a/atlas-new', prices: { rates } }
  const put = await operate(putModel, { entry, expectedRevision: 0 })
  expect(put.errors).toBeUndefined()
  const { revision } = put.data.putModel.model
  expect(put.data.putModel.model).toMatchObject({ id, isActive: true })
  const added = { revision, models: [{ id, pricing: { modality: 'CHAT' } }], withdrawnModelIds: [] }
  expect(await told()).toEqual([added, added])
  await expect
    .poll(() => chat().then(({ model }) => model, String), { timeout: 10_000 })
    .toContain('atlas-new')

  const updated = await operate(updateModel, { id, isActive: false, expectedRevision: revision })
  expect(updated.errors).toBeUndefined()
  const withdrawn = { revision: revision + 1, models: [], withdrawnModelIds: [id] }
  expect(await told()).toEqual([withdrawn, withdrawn])
  await expect.poll(() => chat().then(String, String), { timeout: 10_000 }).toContain('no active chat model')
  const inactive = '{ models(filter: { isActive: false }) { nodes { id isActive } } }'
  expect((await operate(inactive)).data.models.nodes).toEqual([{ id, isActive: false }])
  const { errors } = await control.graph(inactive, { token })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', param: 'filter.isActive' })
  const removed = await operate(deleteModel, { id, expectedRevision: revision + 1 })
  expect(removed.data.deleteModel).toEqual({ deletedModelId: id })

  const { data } = await operate(
    '{ auditEntries(first: 3) { nodes { action outcome operator targetType targetId fields } } }',
  )
  const done = { outcome: 'DONE', operator: 'ada', targetType: 'Model', targetId: id }
  expect(data.auditEntries.nodes).toEqual([
    { ...done, action: 'deleteModel', fields: [id] },
    { ...done, action: 'updateModel', fields: [`${id}.active`] },
    { ...done, action: 'putModel', fields: expect.arrayContaining([`${id}.prices`]) },
  ])
})

test('every fault of an entry is told at its path, a stale revision is a conflict, and nothing has changed', async () => {
  const { declaration, revision } = await atlasMini()
  const prices = {
    rates: [
      { of: 'input', price: 'free' },
      { of: 'output', price: 'cheap' },
    ],
  }
  const faulty = await operate(putModel, { entry: { ...declaration, prices }, expectedRevision: revision })
  expect(faulty.data.putModel).toBeNull()
  expect(faulty.errors?.map(({ extensions }) => [extensions.code, extensions.param])).toEqual([
    ['BAD_USER_INPUT', 'entry.prices.rates[0].price'],
    ['BAD_USER_INPUT', 'entry.prices.rates[1].price'],
  ])
  const stale = await operate(putModel, { entry: declaration, expectedRevision: revision - 1 })
  expect(stale.errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', param: 'expectedRevision' })
  expect(await atlasMini()).toEqual({ declaration, revision, origin: 'FILES' })
})

test('several changes are made together or not at all, and each is exactly one thing', async () => {
  const { declaration, revision } = await atlasMini()
  const copy = { ...declaration, id: 'chat.copy', model: 'vendor_a/copy' }
  const put = { entry: copy, expectedRevision: 0 }
  const removal = { id: 'chat.ember-coder', expectedRevision: 0 }
  const half = await operate(changeModels, { changes: [{ put }, { delete: removal }] })
  expect(half.errors?.map(({ extensions }) => extensions.param)).toEqual([
    'changes[1].delete.expectedRevision',
  ])
  expect((await operate('{ model(id: "chat.copy") { id } }')).data.model).toBeNull()
  const two = await operate(changeModels, { changes: [{ put, delete: removal }] })
  expect(two.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', param: 'changes[0]' })
  const both = await operate(changeModels, {
    changes: [{ put }, { delete: { ...removal, expectedRevision: revision } }],
  })
  expect(both.data.changeModels).toEqual({
    models: [{ id: 'chat.copy' }],
    deletedModelIds: ['chat.ember-coder'],
  })
})

/** Watches the catalogue. Each call resolves to the next event. */
async function watch(protocol: Protocol, token: string): Promise<() => Promise<Result>> {
  const client = protocols[protocol](control.url, token)
  onTestFinished(() => client.dispose())
  const events = client.subscribe(
    'subscription { modelsUpdated { revision models { id pricing { modality } } withdrawnModelIds } }',
  )
  const next = async () => (await events.next()).value
  expect(modelsOf(await next())).toMatchObject({ models: [], withdrawnModelIds: [] })
  return next
}

function modelsOf({ data, errors }: Result) {
  expect(errors).toBeUndefined()
  return data.modelsUpdated
}

/** Somebody with a hundred dollars. */
async function aRichPerson(): Promise<Person> {
  const person = await control.aPerson()
  const credit = { accountId: person.accountId, amountNanos: 100n * NANOS_PER_DOLLAR }
  await creditAccount(control.context, { ...credit, source: 'payment', paymentMethod: 'stripe' })
  return person
}

async function aKey(token: string, name: string): Promise<{ id: string; key: string }> {
  return (await control.rest('POST', '/api-keys', { token, body: { name } })).body
}

/** The cost of a key's requests, summed from the terms in the log. */
async function costOfRequests(token: string, keyId: string): Promise<bigint> {
  let sumNanos = 0n
  const { body } = await control.rest('GET', `/logs/requests?api_key_id=${keyId}`, { token })
  for (const { id } of body.data) {
    const request = (await control.rest('GET', `/logs/requests/${id}`, { token })).body
    const terms: { amount: string }[] = request.cost_terms
    const explained = terms.reduce((sum, { amount }) => sum + Number(amount), 0)
    expect(explained).toBeCloseTo(request.cost, 9)
    sumNanos += nanos(request.cost) ?? 0n
  }
  return sumNanos
}

async function statementsOf(action: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  await action()
  return [...statements]
}
