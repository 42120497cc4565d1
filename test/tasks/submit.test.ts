import { expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { closeMedia, openMedia } from '../../domain/media/media.ts'
import { removeMedia } from '../../domain/media/remove-media.ts'
import { finishTask } from '../../domain/tasks/finish-task.ts'
import { aClient, clientOf, type TestClient } from '../harness/a-client.ts'
import { anApiKey } from '../harness/an-account.ts'
import { anEdgeSystem, theEdgeSystem } from '../harness/an-edge.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { aDataUri } from '../harness/media/media-files.ts'
import { forThisTest } from '../harness/per-file.ts'
import { failure } from './a-task.ts'

/** Nobody advances the tasks here: vendors are configured, and never called. */
const vendors = Object.fromEntries(
  ['I', 'J', 'K', 'L', 'N', 'O', 'P'].flatMap(letter => [
    [`VENDOR_${letter}_API_KEY`, 'sim-platform-key'],
    [`VENDOR_${letter}_BASE_URL`, 'http://127.0.0.1:9'],
  ]),
)

const system = theEdgeSystem({ ...vendors, ALLOWANCES: 'running_tasks=50/50' })

const image = 'https://images.example/cat.png'
const video = 'https://videos.example/cat.mp4'
const reel = { model: 'vendor_i/reel', prompt: 'A paper boat' }
const profileA = { model: 'vendor_i/troupe', prompt: 'A cat', image_urls: [image] }
const profileC = { model: 'vendor_l/ensemble-fast', prompt: '@1 sings', image_urls: [image] }
const speech = { model: 'vendor_n/herald', input: 'Good morning', voice: 'coral' }
const music = { model: 'vendor_o/tempo', prompt: 'Rain on a roof' }

const videos = '/videos/generations'

test.each([
  ['a video', videos, reel, 'video.generation'],
  ['speech', '/audio/speech', speech, 'audio.speech'],
  ['music', '/audio/generations', music, 'audio.generation'],
])('%s is pending with its id, and may be polled on every task path', async (_, path, body, object) => {
  const client = await aClient(system)
  const response = await client.post(path, body)
  expect(response.status).toBe(200)
  const task = await response.json()
  const seconds = Math.floor(Date.now() / 1000)
  expect(task).toEqual({
    id: expect.stringMatching(/^task_[0-9a-f]{32}$/),
    object,
    status: 'pending',
    model: body.model,
    created: expect.closeTo(seconds, -1),
  })
  for (const polled of [videos, '/audio/speech', '/audio/generations']) {
    const poll = await get(client, `${polled}/${task.id}`)
    expect([poll.status, await poll.json()]).toEqual([200, task])
  }
})

test.each<[string, object, number]>([
  ['A, the longest', { ...profileA, duration: 10 }, 1.5],
  ['A, of videos alone', { ...profileA, image_urls: undefined, video_urls: [video] }, 0.75],
  ['C, 1080p with sound', { ...profileC, resolution: '1080p', audio: true, duration: 10 }, 1.264],
  ['speech, by code points', { ...speech, input: '🎈'.repeat(1000) }, 0.03],
])('profile %s holds its price', async (_, body, dollars) => {
  const client = await aClient(system)
  const path = 'input' in body ? '/audio/speech' : videos
  const response = await client.post(path, body)
  expect([response.status, await response.json()]).toMatchObject([200, { status: 'pending' }])
  const { held, in_use } = await balanceOf(system.context.sql, client.accountId)
  expect({ held, in_use }).toEqual({ held: nanos(dollars), in_use: nanos(dollars) })
})

test.each<[string, object, string]>([
  ['A without reference', { ...profileA, image_urls: undefined }, 'image_urls'],
  ['an address of this network', { ...profileC, image_urls: ['https://10.0.0.1/a.png'] }, 'image_urls[0]'],
  ['no model', { prompt: 'A cat' }, 'model'],
  ['a model that is a number', { ...reel, model: 7 }, 'model'],
  ['an unknown model', { ...reel, model: 'vendor_i/none' }, 'model'],
  ['a chat model', { ...reel, model: 'vendor_a/atlas' }, 'model'],
  ['a model of speech', { ...speech }, 'model'],
  ['a callback to a private network', { ...reel, callback_url: 'https://192.168.0.1/' }, 'callback_url'],
  ['a callback that is no address', { ...reel, callback_url: 7 }, 'callback_url'],
  ['a callback without end', { ...reel, callback_url: `https://a.b/${'a'.repeat(2100)}` }, 'callback_url'],
])('%s is refused, naming the parameter, and holds nothing', async (_, body, param) => {
  const client = await aClient(system)
  const response = await client.post(videos, body)
  const answer = await response.json()
  expect([response.status, answer.error.param]).toEqual([
    param === 'model' ? expect.toBeOneOf([400, 404]) : 400,
    param,
  ])
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ held: 0n })
})

test('an array or a text in place of the body is refused', async () => {
  const client = await aClient(system)
  for (const body of ['[]', '"video"', 'null', '{"model":'])
    expect((await client.post(videos, body)).status).toBe(400)
})

test('a refused submit is in the log of requests; the next try under its Idempotency-Key is another', async () => {
  const { context } = system
  const client = await aClient(system, { creditNanos: nanos(0.3) })
  const { accountId } = client
  const headers = { 'idempotency-key': 'poor' }
  expect((await client.post(videos, reel, headers)).status).toBe(402)
  const refused = { route: 'videos.generations', model: reel.model, vendor: 'vendor_i', status: 402 }
  expect(await logsOf(system, client)).toMatchObject([
    { ...refused, error_code: 'insufficient_credits', cost_nanos: 0n },
  ])
  await creditAccount(context, { accountId, amountNanos: nanos(0.1), source: 'more', paymentMethod: 'grant' })
  const { id } = await (await client.post(videos, reel, headers)).json()
  expect(await finishTask(context, { accountId, id }, { end: failure })).toBe(true)
  const logs = await logsOf(system, client)
  expect(logs.map(({ status }) => status)).toEqual([402, 502])
})

test('what a refused submit carries is not kept', async () => {
  const body = { ...profileC, image_urls: [aDataUri('png')] } // 0.3
  const stored = ({ accountId }: TestClient) =>
    system.context.sql`select id from media_files where account_id = ${accountId}`
  const [poor, rich] = [await aClient(system, { creditNanos: nanos(0.1) }), await aClient(system)]
  expect((await poor.post(videos, body)).status).toBe(402)
  expect(await stored(poor)).toHaveLength(0)
  expect((await rich.post(videos, body)).status).toBe(200)
  expect(await stored(rich)).toHaveLength(1)
})

test('under an Idempotency-Key there is one task and one hold, and the same answer each time', async () => {
  const client = await aClient(system)
  const headers = { 'idempotency-key': 'one' }
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.post(videos, reel, headers)))
  const bodies = await Promise.all(answers.map(answer => answer.text()))
  expect(new Set(bodies).size).toBe(1)
  const late = await client.post(videos, reel, headers)
  expect([await late.text(), late.headers.get('idempotent-replayed')]).toEqual([bodies[0], 'true'])
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ held: nanos(0.35) })
  expect((await client.post(videos, { ...reel, prompt: 'Another' }, headers)).status).toBe(409)
})

test('another account finds nothing: neither to poll, nor to cancel, nor in its list', async () => {
  const [client, stranger] = [await aClient(system), await aClient(system)]
  const { id } = await (await client.post(videos, reel)).json()
  for (const method of ['GET', 'DELETE']) {
    const response = await get(stranger, `${videos}/${id}`, method)
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { code: 'task_not_found' } },
    ])
  }
  for (const odd of ['task_none', '..%2F..', '%00', 'a'.repeat(200)])
    expect((await get(client, `${videos}/${odd}`)).status).toBe(404)
  expect(await (await get(stranger, videos)).json()).toMatchObject({ data: [], has_more: false })
})

test('another key of the account may poll and list its tasks', async () => {
  const client = await aClient(system)
  const { id } = await (await client.post(videos, reel)).json()
  const other = clientOf(system, await anApiKey(system.context, { accountId: client.accountId }))
  expect((await get(other, `${videos}/${id}`)).status).toBe(200)
})

test('the list has videos alone, newest first, page by page and by status', async () => {
  const client = await aClient(system)
  const ids: string[] = []
  for (let at = 0; at < 5; at++) ids.unshift((await (await client.post(videos, reel)).json()).id)
  await client.post('/audio/generations', music)
  await finishTask(system.context, { accountId: client.accountId, id: ids[1]! }, { end: failure })
  const list = async (query: string) => (await get(client, `${videos}?${query}`)).json()
  const first = await list('limit=2')
  expect(first).toMatchObject({
    object: 'list',
    data: [{ id: ids[0] }, { id: ids[1], status: 'failed', error: { code: 'generation_failed' } }],
    first_id: ids[0],
    last_id: ids[1],
    has_more: true,
  })
  const rest = await list(`limit=10&after=${first.last_id}`)
  expect(rest.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2))
  expect(rest.has_more).toBe(false)
  expect((await list('status=failed')).data).toMatchObject([{ id: ids[1] }])
  expect((await list('status=pending')).data).toHaveLength(4)
  expect((await list('status=success')).data).toEqual([])
  for (const wrong of 'limit=0 limit=101 limit=x status=queued limit=1&limit=2 status=__proto__'.split(' '))
    expect([(await get(client, `${videos}?${wrong}`)).status, wrong]).toEqual([400, wrong])
})

test('a task that was not sent yet is cancelled, and its hold released', async () => {
  const client = await aClient(system)
  const { id } = await (await client.post(videos, reel)).json()
  const response = await get(client, `${videos}/${id}`, 'DELETE')
  const cancelled = await response.json()
  expect([response.status, cancelled]).toMatchObject([
    200,
    { id, status: 'failed', error: { code: 'cancelled' } },
  ])
  expect(await (await get(client, `${videos}/${id}`)).json()).toEqual(cancelled)
  expect(await balanceOf(system.context.sql, client.accountId)).toMatchObject({ held: 0n })
})

test('a task that is cancelled before it was sent leaves nothing of what it carried', async () => {
  const client = await aClient(system)
  const submitted = await client.post(videos, { ...profileC, image_urls: [aDataUri('png')] })
  const { id } = await submitted.json()
  expect((await get(client, `${videos}/${id}`, 'DELETE')).status).toBe(200)
  const media = await openMedia(system.context)
  await removeMedia(media)
  closeMedia(media)
  expect(
    await system.context.sql`select name from media_files where account_id = ${client.accountId}`,
  ).toHaveLength(0)
})

test('polls have a window of their own, and do not use up that of new requests', async () => {
  const narrow = forThisTest(
    await anEdgeSystem({ ...vendors, RATE_REQUESTS: '3', ALLOWANCES: 'polls=30/30' }),
  )
  const client = await aClient(narrow)
  const { id } = await (await client.post(videos, reel)).json()
  const url = `${narrow.baseURL}${videos}/${id}`
  const headers = { authorization: `Bearer ${client.text}` }
  const polls = await Promise.all(Array.from({ length: 31 }, () => fetch(url, { headers })))
  expect(polls.filter(({ status }) => status === 200)).toHaveLength(30)
  const refused = polls.find(({ status }) => status === 429)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused?.json()).toMatchObject({ error: { code: 'allowance_exceeded', param: 'polls' } })
  expect((await client.post(videos, reel)).status).toBe(200)
  expect((await client.post(videos, reel)).status).toBe(200)
  expect((await client.post(videos, reel)).status).toBe(429)
})

test('a vendor without any credential is refused at once', async () => {
  const bare = forThisTest(await anEdgeSystem({ VENDOR_I_API_KEY: '', VENDOR_I_BASE_URL: '' }))
  const client = await aClient(bare)
  const response = await client.post(videos, reel)
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { error: { code: 'model_unavailable' } },
  ])
})

function get(client: TestClient, path: string, method = 'GET'): Promise<Response> {
  return fetch(`${system.baseURL}${path}`, { method, headers: { authorization: `Bearer ${client.text}` } })
}

function nanos(dollars: number): bigint {
  return BigInt(Math.round(dollars * 1e9))
}
