import { readFileSync } from 'node:fs'
import { beforeAll, expect, test, vi } from 'vitest'
import { readTree } from '../../bench/measure/process-tree.ts'
import { freePort } from '../../dev/services/ports.ts'
import { aClient, clientOf, saying } from '../harness/a-client.ts'
import { anEdgeProcess, aProcess, aWorkerProcess, type EdgeProcess } from '../harness/a-process.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'
import { readAlerts, readDashboard, selectorsIn } from './read-queries.ts'
import { type Sample, scrape, sumOf } from './scrape.ts'

// The tests scrape other processes than the edge of this system, which only serves requests.
const system = theEdgeSystem()
let edge: EdgeProcess
/** Where each kind of process serves its metrics. */
const urls = { edge: '', control: '', worker: '' }

beforeAll(async () => {
  const [edgeHealth, controlPort, controlHealth] = await Promise.all([freePort(), freePort(), freePort()])
  const [edgeProcess, worker] = await Promise.all([
    anEdgeProcess(system, {
      EDGE_PROCESSES: '2',
      HEALTH_PORT: String(edgeHealth),
      CONTROL_URL: `http://127.0.0.1:${controlPort}`,
    }),
    aWorkerProcess(system),
    aProcess(system, {
      entry: ['--import', 'tsx', 'gateway/main.ts'],
      port: controlPort,
      env: { CONTROL_PORT: String(controlPort), CONTROL_HEALTH_PORT: String(controlHealth) },
    }),
  ])
  edge = edgeProcess
  urls.edge = `http://127.0.0.1:${edgeHealth}`
  urls.control = `http://127.0.0.1:${controlHealth}`
  urls.worker = worker.url
  await vi.waitFor(() => scrape(urls.edge), { timeout: 60_000, interval: 100 }) // its health begins after its port
}, 120_000)

test('every process serves its metrics, and none on a serving port', async () => {
  for (const [process, url] of Object.entries(urls)) {
    const samples = await scrape(url)
    expect(sumOf(samples, 'rubicon_postgres_up', { process }), process).toBe(1)
    expect(sumOf(samples, 'rubicon_redis_up', { process })).toBe(1)
    expect(sumOf(samples, 'process_cpu_seconds_total', { process })).toBeGreaterThan(0)
  }
  expect((await fetch(new URL('/metrics', edge.baseURL))).status).toBe(404)
})

test('one scrape has the requests of all edge processes and the batches of their committer', async () => {
  const client = clientOf(edge, await aClient(system))
  const before = await scrape(urls.edge)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => client.openai.chat.completions.create(saying('Hi'))),
  )
  const chat = {
    route: 'chat.completions',
    model: 'vendor_a/atlas',
    vendor: 'vendor_a',
    credential: 'platform',
  }
  const risen = await rises(before, 'rubicon_requests_total', { ...chat, status: '2xx', process: 'edge' }, 20)
  const labels = {
    gen_ai_operation_name: 'chat',
    gen_ai_provider_name: 'vendor_a',
    gen_ai_request_model: chat.model,
  }
  const tokens = { ...labels, gen_ai_token_type: 'output' }
  expect(rise(before, risen, 'gen_ai_server_request_duration_seconds_count', labels)).toBe(20)
  expect(rise(before, risen, 'gen_ai_client_token_usage_sum', tokens)).toBe(
    answers.reduce((sum, { usage }) => sum + (usage?.completion_tokens ?? 0), 0),
  )
  expect(rise(before, risen, 'rubicon_overhead_seconds_count', { route: chat.route })).toBe(20)
  expect(rise(before, risen, 'rubicon_cost_dollars_total', { model: chat.model })).toBeGreaterThan(0)
  expect(
    rise(before, risen, 'rubicon_attempts_total', {
      vendor: 'vendor_a',
      credential: 'default',
      outcome: 'answered',
    }),
  ).toBe(20)
  expect(
    rise(before, risen, 'rubicon_commit_batch_rows_sum', { process: 'committer' }),
  ).toBeGreaterThanOrEqual(20)
  expect(sumOf(risen, 'rubicon_requests_in_flight')).toBe(0)
  expect(sumOf(risen, 'rubicon_holds', { process: 'committer' })).toBeGreaterThan(0)
})

test('the counters of a machine do not fall when a process is replaced', async () => {
  const client = clientOf(edge, await aClient(system))
  const labels = { route: 'chat.completions', status: '4xx' }
  const before = await scrape(urls.edge)
  for (let turn = 0; turn < 10; turn++) await client.post('/chat/completions', { model: 'vendor_a/none' })
  const counted = await rises(before, 'rubicon_requests_total', labels, 10)
  const pids = () => readTree(edge.process.pid!).map(({ pid }) => pid)
  const killed = pids().find(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--committer'))
  process.kill(killed!, 'SIGKILL')
  await expect.poll(() => pids().includes(killed!), { timeout: 10_000 }).toBe(false)
  expect(sumOf(await scrape(urls.edge), 'rubicon_requests_total')).toBe(
    sumOf(counted, 'rubicon_requests_total'),
  )
})

test('metrics name neither keys, accounts, users nor models that do not exist', async () => {
  const client = clientOf(edge, await aClient(system))
  await client.post('/chat/completions', { ...saying('Hi', 'vendor_a/secret-model'), user: 'a-user' })
  await client.post('/secret-path', {})
  const texts = await Promise.all(
    Object.values(urls).map(url => fetch(`${url}/metrics`).then(answer => answer.text())),
  )
  const text = texts.join('\n')
  for (const hidden of [
    client.text,
    client.keyId,
    client.accountId,
    'secret-',
    'a-user',
    system.config.keyPepper,
  ])
    expect(text).not.toContain(hidden)
})

test('dashboard and alerts use metrics and labels that the processes have', async () => {
  await useEverything()
  const samples = (await Promise.all(Object.values(urls).map(scrape))).flat()
  const labelsOf = Map.groupBy(samples, ({ name }) => name)
  const queries = [...readAlerts(), ...readDashboard()]
  expect(queries.length).toBeGreaterThan(80)
  const faults = queries.flatMap(({ name, expression }) =>
    selectorsIn(expression).flatMap(({ metric, labels }) => {
      const found = labelsOf.get(metric) ?? []
      if (found.length === 0) return [`${name}: there is no metric ${metric}`]
      return labels
        .filter(label => !found.some(sample => label in sample.labels))
        .map(label => `${name}: ${metric} has no label ${label}`)
    }),
  )
  expect(faults).toEqual([])
})

test('every alert has a section in the documentation', () => {
  const page = readFileSync(new URL('../../docs/monitoring.md', import.meta.url), 'utf8')
  const sections = Array.from(page.matchAll(/^### (Rubicon\w+)$/gm), ([, name]) => name)
  expect(sections.toSorted()).toEqual(
    readAlerts()
      .map(({ name }) => name)
      .toSorted(),
  )
})

test('the names of metrics are found in queries', () => {
  expect(
    selectorsIn(
      'sum by (vendor) (rate(a_total{x="by", y=~"$z"}[5m])) / on (le) b_seconds > 0.1 and absent(c) or 3 * d',
    ),
  ).toEqual([
    { metric: 'a_total', labels: ['x', 'y'] },
    { metric: 'b_seconds', labels: [] },
    { metric: 'c', labels: [] },
    { metric: 'd', labels: [] },
  ])
})

/** Makes requests that give every metric a value. */
async function useEverything(): Promise<void> {
  const client = clientOf(edge, await aClient(system, { rpm: 3 }))
  const stream = await client.openai.chat.completions.create({ ...saying('Hello'), stream: true })
  for await (const _ of stream);
  for (let turn = 0; turn < 4; turn++) await client.post('/chat/completions', saying('Hi'))
  await fetch(new URL('/graphql', edge.baseURL), { method: 'POST' })
  const rich = clientOf(system, await aClient(system))
  const submitted = await rich.post('/audio/speech', { model: 'vendor_n/herald', input: 'Hi' })
  expect(await submitted.json()).toMatchObject({ status: 'pending' })
  await expect
    .poll(async () => sumOf(await scrape(urls.worker), 'rubicon_tasks_ended_total'), { timeout: 30_000 })
    .toBeGreaterThan(0)
  await expect
    .poll(async () => sumOf(await scrape(urls.control), 'rubicon_management_requests_total'))
    .toBeGreaterThan(0)
}

/** Returns by how much a value has risen. */
function rise(before: Sample[], after: Sample[], name: string, labels: Record<string, string>): number {
  return (sumOf(after, name, labels) ?? 0) - (sumOf(before, name, labels) ?? 0)
}

/** Scrapes until a value has risen by `count`: a request is counted after its response. */
async function rises(
  before: Sample[],
  name: string,
  labels: Record<string, string>,
  count: number,
): Promise<Sample[]> {
  let after: Sample[] = []
  await expect
    .poll(
      async () => {
        after = await scrape(urls.edge)
        return rise(before, after, name, labels)
      },
      { timeout: 10_000 },
    )
    .toBe(count)
  return after
}
