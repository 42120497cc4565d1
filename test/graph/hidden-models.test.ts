import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { systemIds } from '../../platform/ids.ts'
import { aSettingsFile } from '../harness/a-context.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'
import { protocols } from '../tasks/subscribers.ts'

const operator = mintOperatorKey(systemIds)
let hidden: { id: string; name: string; withdrawn: string }

// The platform has a credential of vendor A alone.
const control = perFile(() =>
  aControlPlane({
    OPERATOR_KEYS: `ada=${operator.digest}`,
    VENDOR_A_API_KEY: 'sim',
    VENDOR_A_BASE_URL: 'http://127.0.0.1:9/v1',
  }),
)

beforeAll(async () => {
  const catalogue = await theCatalogue()
  await applyCatalogue(control.context, catalogue)
  const [one, other] = catalogue.models.filter(({ provider, active }) => provider === 'vendor_b' && active)
  if (!one || !other) throw new Error('The catalogue has two active models of vendor B')
  hidden = { id: one.id, name: one.model, withdrawn: other.id }
  const models = catalogue.models.map(model => (model.id === other.id ? { ...model, active: false } : model))
  await applyCatalogue(control.context, { ...catalogue, models })
})

/** Which reads of the graph show the hidden models. */
async function readsThatShow({ token, accountId }: { token: string; accountId?: string }): Promise<string[]> {
  const { id, name, withdrawn } = hidden
  const read = async (query: string) => (await control.graph(query, { token })).data
  const argument = accountId ? `(accountId: "${accountId}")` : ''
  const answers = {
    model: await read(`{ model(id: "${id}") { id pricing { unit } } }`),
    'model by name': await read(`{ model(id: "${name}") { id } }`),
    models: await read('{ models(first: 100, filter: { providers: [VENDOR_B] }) { nodes { id } } }'),
    prices: await read('{ prices { model { id } } }'),
    node: await read(`{ node(id: "${id}") { id } }`),
    nodes: await read(`{ nodes(ids: ["${id}"]) { ... on Model { id pricing { unit } } } }`),
    'a request': await read(`{ requests${argument} { nodes { model { id name } } } }`),
    modelsUpdated: await firstUpdate(token),
  }
  const shows = Object.entries(answers).filter(([, answer]) => {
    const text = JSON.stringify(answer)
    return text?.includes(`"${id}"`) || text?.includes(`"${withdrawn}"`)
  })
  return shows.map(([shown]) => shown)
}

async function firstUpdate(token: string) {
  const client = protocols['graphql-sse'](control.url, token)
  onTestFinished(() => client.dispose())
  const query =
    'subscription { modelsUpdated(since: 0) { models { id pricing { unit } } withdrawnModelIds } }'
  const { value } = await client.subscribe(query).next()
  expect(value.data.modelsUpdated.models.length).toBeGreaterThan(5)
  return value
}

test('every read hides a model that no credential reaches, until the account adds its own; an operator sees it', async () => {
  const person = await control.aPerson()
  const { token, accountId } = person
  await control.context.sql`
    insert into request_logs (account_id, created_at, id, api_key_id, route, model, status)
    values (${accountId}, now(), 'req_1', gen_random_uuid(), 'chat', ${hidden.name}, 200)`
  expect(await readsThatShow({ token })).toEqual([])

  const body = { provider: 'vendor_b', label: 'own', api_key: 'sim-own-credential' }
  expect((await control.rest('POST', '/byok', { token, body })).status).toBe(201)
  const all = ['model', 'model by name', 'models', 'prices', 'node', 'nodes', 'a request', 'modelsUpdated']
  expect(await readsThatShow({ token })).toEqual(all)
  expect(await readsThatShow({ token: (await control.aPerson()).token })).toEqual([])
  const ofOperator = await readsThatShow({ token: operator.key, accountId })
  expect(ofOperator).toEqual(expect.arrayContaining(all.filter(name => !name.startsWith('node'))))
})

test('a model is visible if a credential may serve it at one of its vendors', async () => {
  const narrow = await aControlPlane({
    VENDOR_CREDENTIALS_FILE: aSettingsFile({
      vendor_a: [
        { name: 'one', api_key: 'sim', models: ['atlas', 'lyric'] },
        { name: 'other', api_key: 'sim', models: ['atlas-m*'] },
      ],
    }),
    VENDOR_A_BASE_URL: 'http://127.0.0.1:9/v1',
  })
  onTestFinished(() => narrow.close())
  const catalogue = await theCatalogue()
  const lyric = catalogue.models.find(({ model }) => model === 'vendor_b/lyric')
  const upstream = { model: 'lyric-on-a', adapter: 'anthropic-messages' as const }
  if (lyric?.modality === 'chat') lyric.routes = [{ vendor: 'vendor_a', upstream }]
  await applyCatalogue(narrow.context, catalogue)
  const { token } = await narrow.aPerson()
  const query =
    '{ models(first: 100, filter: { providers: [VENDOR_A, VENDOR_B] }) { nodes { inferenceId } } }'
  const { data } = await narrow.graph(query, { token })
  const names = data.models.nodes.map(({ inferenceId }: { inferenceId: string }) => inferenceId)
  expect(names.toSorted()).toEqual(['vendor_a/atlas', 'vendor_a/atlas-mini', 'vendor_b/lyric'])
})
