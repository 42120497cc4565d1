import { expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)

test('usage tells how long requests without an error took, and when streamed ones began', async () => {
  const client = await aClient(system)
  const messages = [{ role: 'user', content: 'Hello' }]
  const ask = async (body: object) => {
    const response = await client.post('/chat/completions', { messages, ...body })
    await response.text()
    return response.status
  }
  const read = async (query: string) =>
    (await system.rest('GET', `/usage?${query}`, { token: client.text })).body.data

  expect(await ask({ model: 'vendor_a/atlas' })).toBe(200)
  expect(await ask({ model: 'vendor_a/none' })).toBeGreaterThanOrEqual(400)
  const counted = { duration_p50_ms: expect.any(Number), duration_p95_ms: expect.any(Number) }
  const whole = { ...counted, first_byte_p50_ms: null }
  const [log] = (await system.rest('GET', '/logs/requests?status=200', { token: client.text })).body.data
  await expect.poll(() => read('group_by=model&model=vendor_a/atlas')).toMatchObject([whole])
  const [{ duration_p95_ms: duration }] = await read('')
  expect(Math.abs(duration - log.duration_ms)).toBeLessThanOrEqual(Math.max(8, log.duration_ms * 0.19 + 1))

  expect(await ask({ model: 'vendor_b/lyric', stream: true })).toBe(200)
  const streamed = {
    ...counted,
    first_byte_p50_ms: expect.any(Number),
    first_byte_p95_ms: expect.any(Number),
  }
  await expect.poll(() => read('group_by=model&model=vendor_b/lyric')).toMatchObject([streamed])
  expect(await read('group_by=model&model=vendor_a/atlas')).toMatchObject([whole])
  const failed = (await read('group_by=model')).filter(
    ({ requests, failed_requests: of }: Record<string, number>) => requests === of,
  )
  for (const group of failed) expect(group.duration_p50_ms).toBeNull()
})
