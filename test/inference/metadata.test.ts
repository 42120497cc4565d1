import { expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)

const metadata = { team: 'red', 'a "key"': 'x\0y' }
const messages = [{ role: 'user', content: 'Hello' }]

test.each<[string, object]>([
  ['/chat/completions', { model: 'vendor_a/atlas', messages, user: 'ada', metadata }],
  ['/responses', { model: 'vendor_a/atlas', input: 'Hello', user: 'ada', metadata }],
  [
    '/messages',
    { model: 'vendor_b/lyric', messages, max_tokens: 9, metadata: { user_id: 'ada', ...metadata } },
  ],
  ['/embeddings', { model: 'vendor_a/compass-small', input: 'Hello', user: 'ada', metadata }],
  ['/images/generations', { model: 'vendor_f/canvas', prompt: 'A boat', user: 'ada', metadata }],
])('the metadata of %s is in the log, beside the end user', async (path, body) => {
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
