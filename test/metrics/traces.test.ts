import { expect, test } from 'vitest'
import { openTracing } from '../../platform/tracing/tracing.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { aClient, clientOf, saying } from '../harness/a-client.ts'
import { aConfig } from '../harness/a-context.ts'
import { answerJson, aVendor } from '../harness/a-vendor.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

/** A span as OTLP sends it in JSON. */
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: Record<string, unknown> }[]
  links?: { traceId: string }[]
  status: { code?: number }
}

interface Export {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[]
}

/** A receiver of OTLP over HTTP. */
const receiver = perFile(() => aVendor(response => answerJson(response, 200, {})))

const completion = {
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
}
const vendor = perFile(() => aVendor(response => answerJson(response, 200, completion)))

/** Returns the spans that the receiver has. */
function spans(): Span[] {
  return receiver.calls.flatMap(({ body }) =>
    (body as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(part => part.spans)),
  )
}

const system = perFile(() =>
  anEdgeBeforeControl({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=let-me-in',
    VENDOR_A_BASE_URL: vendor.url,
    WORKER_PORT: '0',
  }),
)

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

test('a chat is a request with its attempt and its batch, each with the ID of the request', async () => {
  const client = clientOf(system, await aClient(system))
  const response = await client.post('/chat/completions', saying('Hi'), { traceparent })
  expect(response.status).toBe(200)
  const requestId = response.headers.get('x-request-id')!
  const [request, attempt, batch] = await spansOf(
    ['POST chat.completions', 'attempt', 'commit batch'],
    requestId,
  )
  expect(request!.parentSpanId).toBeUndefined()
  expect(attempt).toMatchObject({ traceId: request!.traceId, parentSpanId: request!.spanId })
  expect(attributesOf(request!)).toMatchObject({
    'http.response.status_code': 200,
    'gen_ai.request.model': 'vendor_a/atlas',
    'gen_ai.usage.output_tokens': 1,
  })
  expect(attributesOf(batch!)['rubicon.charges']).toBeGreaterThan(0)
  expect(receiver.calls.at(-1)?.headers).toMatchObject({ 'x-collector-token': 'let-me-in' })
})

test("a client's trace is linked, not continued, and vendors do not learn it", async () => {
  const requests = spans().filter(({ name }) => name === 'POST chat.completions')
  expect(requests.map(({ links }) => links?.map(link => link.traceId))).toEqual([[traceId]])
  expect(spans().map(span => span.traceId)).not.toContain(traceId)
  expect(vendor.calls.length).toBeGreaterThan(0)
  for (const { headers } of vendor.calls) expect(headers).not.toHaveProperty('traceparent')
})

test('a query continues from the edge to the operation and its fetches of subgraphs', async () => {
  const { token } = await system.aPerson()
  const response = await fetch(`${system.edge.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ query: 'query Mine { me { balance { available } apiKeys { name } } }' }),
  })
  expect(response.status).toBe(200)
  const requestId = response.headers.get('x-request-id')!
  const [forwarded, operation, fetched] = await spansOf(
    ['forwarded request', 'graphql operation', 'subgraph fetch'],
    requestId,
  )
  expect(operation).toMatchObject({ traceId: forwarded!.traceId, parentSpanId: forwarded!.spanId })
  expect(fetched).toMatchObject({ traceId: forwarded!.traceId, parentSpanId: operation!.spanId })
  expect(attributesOf(operation!)).toMatchObject({
    'graphql.operation.type': 'query',
    'graphql.operation.name': 'Mine',
  })
})

test('a job of the worker names its task', async () => {
  const worker = await startWorker(system.config)
  const client = clientOf(system, await aClient(system))
  const response = await client.post('/audio/speech', { model: 'vendor_n/herald', input: 'Hi' })
  const { id } = (await response.json()) as { id: string }
  const found = () =>
    spans().find(span => span.name === 'job advance-task' && attributesOf(span)['rubicon.id'] === id)
  await expect.poll(found, { timeout: 20_000 }).toBeTruthy()
  await worker.close()
})

test('spans have no key, account or text of a client', () => {
  const text = JSON.stringify(spans())
  expect(text).not.toMatch(/sk-rb-|Bearer|Hello|eyJ/)
})

test('without a receiver, nothing is traced', async () => {
  expect(await openTracing(aConfig({}), 'edge')).toBeUndefined()
})

function attributesOf({ attributes }: Span): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  )
}

/** Waits for a span of each name that has the ID of the request. */
async function spansOf(names: string[], requestId: string): Promise<(Span | undefined)[]> {
  const find = (name: string) =>
    spans().find(
      span => span.name === name && String(attributesOf(span)['rubicon.request_id']).includes(requestId),
    )
  await expect.poll(() => names.filter(name => !find(name)), { timeout: 15_000 }).toEqual([])
  return names.map(find)
}
