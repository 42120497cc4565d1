import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { printSchema } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readApi } from '../../gateway/supergraph/read-api.ts'
import { aControlPlane, type ControlPlane } from '../harness/a-control-plane.ts'

const require = createRequire(import.meta.url)

/** The documents of an application, as Relay's compiler finds them. */
const application = `
graphql\`
  query keysQuery($first: Int, $after: String, $last: Int, $before: String) {
    apiKeys(first: $first, after: $after, last: $last, before: $before) @connection(key: "keys_apiKeys") {
      edges { node { id ...keys_item } }
    }
  }\`
graphql\`
  fragment keys_item on ApiKey @refetchable(queryName: "keysItemQuery") { name creditLimit usage { spent } }\`
graphql\`
  mutation keysCreateMutation($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { ...keys_item } } }\`
graphql\`
  subscription keysSubscription { balanceChanged { available } }\`
`

let control: ControlPlane
let folder: string

beforeAll(async () => {
  control = await aControlPlane()
  folder = await mkdtemp(join(tmpdir(), 'relay-'))
})
afterAll(async () => {
  await control.close()
  await rm(folder, { recursive: true })
})

test('an application of Relay compiles, pages from both ends, and finds an object again by its id', async () => {
  const load = await compile()
  const { token } = await control.aPerson()
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) await control.rest('POST', '/api-keys', { token, body: { name } })
  const relay = openRelay(token)

  const page = async (variables: object) => {
    const { apiKeys } = await relay.fetch(load('keysQuery'), variables)
    return apiKeys.edges.map(({ node: key }: Json) => relay.read(load('keys_item'), key).name)
  }
  const whole = { first: null, after: null, last: null, before: null }
  expect(await page({ ...whole, last: 2 })).toEqual(['b', 'a'])
  const { startCursor } = relay.pageInfo()
  expect(await page({ ...whole, last: 2, before: startCursor })).toEqual(['d', 'c', 'b', 'a'])
  expect(relay.pageInfo()).toMatchObject({ hasPreviousPage: true })

  const { data } = await control.graph('{ apiKeys(first: 1) { nodes { id } } }', { token })
  const { node } = await relay.fetch(load('keysItemQuery'), { id: data.apiKeys.nodes[0].id })
  expect(relay.read(load('keys_item'), node)).toMatchObject({ name: 'e', usage: { spent: '0' } })
})

// biome-ignore lint/suspicious/noExplicitAny: what an application reads out of the store
type Json = any

/** Compiles the application against the graph. Returns how its artifacts are loaded. */
async function compile(): Promise<(name: string) => unknown> {
  await mkdir(join(folder, 'src'))
  await mkdir(join(folder, 'artifacts'))
  await writeFile(join(folder, 'schema.graphql'), printSchema(await readApi()))
  await writeFile(join(folder, 'src', 'keys.js'), application)
  const places = { src: './src', schema: './schema.graphql', artifactDirectory: './artifacts' }
  const config = { ...places, language: 'javascript', eagerEsModules: false }
  await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config))
  const compiler = require.resolve('relay-compiler/cli.js')
  await promisify(execFile)(process.execPath, [compiler, './relay.config.json'], { cwd: folder })
  const artifacts = join(folder, 'artifacts')
  for (const name of await readdir(artifacts)) {
    const text = await readFile(join(artifacts, name), 'utf8')
    await writeFile(join(artifacts, name), text.replaceAll(".graphql')", ".graphql.js')")) // what Vitest resolves
  }
  return name => require(join(artifacts, `${name}.graphql.js`))
}

/** Opens Relay's runtime over the control plane. */
function openRelay(token: string) {
  const { Environment, Network, RecordSource, Store, ...relay }: Json = require('relay-runtime')
  const ask = async ({ text }: { text: string }, variables: Record<string, unknown>) => {
    const answer = await control.graph(text, { token, variables })
    if (answer.errors) throw new Error(JSON.stringify(answer.errors))
    return { data: answer.data }
  }
  const environment = new Environment({ network: Network.create(ask), store: new Store(new RecordSource()) })
  const fetch = async (query: unknown, variables: object): Promise<Json> => {
    const operation = relay.createOperationDescriptor(relay.getRequest(query), variables)
    environment.retain(operation)
    await relay.fetchQuery(environment, query, variables, { fetchPolicy: 'network-only' }).toPromise()
    return environment.lookup(operation.fragment).data
  }
  return {
    fetch,
    read: (fragment: unknown, node: unknown): Json =>
      environment.lookup(relay.getSingularSelector(relay.getFragment(fragment), node)).data,
    /** The place of the pages that were fetched in the whole list. */
    pageInfo: (): Json => {
      const root = environment.getStore().getSource().get('client:root')
      const list = environment.getStore().getSource().get(root.__keys_apiKeys_connection.__ref)
      return environment.getStore().getSource().get(list.pageInfo.__ref)
    },
  }
}
