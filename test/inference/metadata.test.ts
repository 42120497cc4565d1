import { expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)

const metadata = { team: 'red', 'a "key"': 'x\0y' }
const messages = [{ role: 'user', content: 'Hello' }]

const charged: [path: string, body: object][] = [
  ['/chat/completions', { model: 'vendor_a/atlas', messages, user: 'ada', metadata }],
  ['/responses', { model: 'vendor_a/atlas', input: 'Hello', user: 'ada', metadata }],
  [
    '/messages',
    { model: 'vendor_b/lyric', messages, max_tokens: 9, metadata: { user_id: 'ada', ...metadata } },
  ],
  ['/embeddings', { model: 'vendor_a/compass-small', input: 'Hello', user: 'ada', metadata }],
  ['/images/generations', { model: 'vendor_f/canvas', prompt: 'A boat', user: 'ada', metadata }],
]

test.each(charged)('the metadata of %s is in the log, beside the end user', async (path, body) => {
  const client = await aClient(system)
  expect((await client.post(path, body)).status).toBe(200)
  const { body: list } = await system.rest('GET', '/logs/requests', { token: client.text })
  expect(list.data).toMatchObject([
    {
      end_user: 'ada',
      metadata: [
        { key: 'team', value: 'red' },
        { key: 'a "key"', value: 'xy' },
      ],
    },
  ])
})

test('the metadata of a task is in the log when the task has ended', async () => {
  const client = await aClient(system)
  const task = await (
    await client.post('/videos/generations', { model: 'vendor_i/reel', prompt: 'Rain', metadata })
  ).json()
  await system.rest('POST', `/tasks/${task.id}/cancel`, { token: client.text })
  const { body } = await system.rest('GET', '/logs/requests?metadata=team=red', { token: client.text })
  expect(body.data).toMatchObject([{ route: 'videos.generations', metadata: [{ key: 'team' }, {}] }])
})

test('requests are found by a pair of their metadata', async () => {
  const client = await aClient(system)
  for (const team of ['red', 'blue', 'green', undefined])
    await client.post('/chat/completions', {
      model: 'vendor_a/atlas',
      messages,
      metadata: { team, red: 'team' },
    })
  const teams = async (query: string) => {
    const { status, body } = await system.rest('GET', `/logs/requests?${query}`, { token: client.text })
    if (status !== 200) return [status, body.error.param]
    return body.data.map((one: { metadata: { value: string }[] }) => one.metadata[0]?.value)
  }
  expect(await teams('metadata=team=red')).toEqual(['red'])
  expect(await teams('metadata=team=red&metadata=team=blue')).toEqual(['blue', 'red'])
  expect(await teams('metadata=team=white')).toEqual([])
  expect(await teams('metadata=red=team')).toHaveLength(4)
  expect(await teams('metadata=team')).toEqual([422, 'metadata'])
})

test.each<[string, object]>([
  ...charged,
  ['/videos/generations', { model: 'vendor_i/reel', prompt: 'Rain' }],
])(
  'metadata of %s beyond the limits of OpenAI is refused with the name of the parameter',
  async (path, body) => {
    const client = await aClient(system)
    for (const [unfit, param] of [
      [{ team: 1 }, 'metadata.team'],
      [{ team: 'x'.repeat(513) }, 'metadata.team'],
      [{ ['k'.repeat(65)]: 'x' }, 'metadata'],
      [Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'x'])), 'metadata'],
    ] as const) {
      const response = await client.post(path, { ...body, metadata: unfit })
      const { error } = await response.json()
      expect(response.status).toBe(400)
      expect(error.message).toMatch(new RegExp(`^${param} must`))
      if (path !== '/messages') expect(error.param).toBe(param)
    }
  },
)

test('usage by metadata is the sum of the log: chat, embeddings, images and tasks', async () => {
  const client = await aClient(system)
  for (const [path, body] of charged) expect((await client.post(path, body)).status).toBe(200)
  await client.post('/chat/completions', { model: 'vendor_a/atlas', messages, metadata: { team: 'blue' } })
  await client.post('/chat/completions', { model: 'vendor_a/atlas', messages })
  const video = { model: 'vendor_i/reel', prompt: 'Rain', metadata }
  const task = await (await client.post('/videos/generations', video)).json()
  await system.rest('POST', `/tasks/${task.id}/cancel`, { token: client.text })

  const read = async (path: string) => (await system.rest('GET', path, { token: client.text })).body.data
  const sumOf = async (query: string) => {
    const costs: number[] = (await read(`/logs/requests?${query}`)).map(({ cost }: { cost: number }) => cost)
    return {
      requests: costs.length,
      spent: expect.closeTo(
        costs.reduce((sum, cost) => sum + cost, 0),
        9,
      ),
    }
  }
  const [red, blue] = [await sumOf('metadata=team=red'), await sumOf('metadata=team=blue')]
  expect([red.requests, blue.requests]).toEqual([charged.length + 1, 1])

  const none = { metadata_kind: 'none', metadata_value: null, requests: 1 }
  expect(await read('/usage?group_by=model&group_by_metadata=team&model=vendor_a/atlas')).toMatchObject([
    none,
    { metadata_kind: 'named', metadata_value: 'red', requests: 2 },
    { metadata_kind: 'named', metadata_value: 'blue', requests: 1 },
  ])
  expect(await read('/usage?metadata=team=red')).toMatchObject([red])
  expect(await read('/usage?metadata=team=blue&metadata=team=red&group_by_metadata=team')).toMatchObject([
    { metadata_value: 'red', ...red },
    { metadata_value: 'blue', ...blue },
  ])
  const ofUser = await sumOf('metadata=team=red&end_user=ada')
  expect(ofUser.requests).toBe(charged.length)
  expect(await read('/usage?metadata=team=red&end_user=ada')).toMatchObject([ofUser])
  expect(await read('/usage?metadata=team=white')).toEqual([])
})
