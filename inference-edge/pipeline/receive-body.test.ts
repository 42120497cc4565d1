import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { receiveBody } from './receive-body.ts'
import type { RequestShare } from './request-share.ts'

/** The number of turns that a body takes on the event loop. */
async function turnsOf(body: object): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(body))
  const request = new Readable({ read: () => {} })
  request.push(bytes)
  request.push(null)
  Object.assign(request, { complete: true, headers: { 'content-length': String(bytes.length) } })
  const share = { takeBytes: () => {}, beginTurn: vi.fn(async () => {}) }
  const edge = { config: { bodyLimitBytes: 1 << 20, bodyTimeoutMs: 1_000 }, load: { waiting: 0 } }
  const received = await receiveBody(edge as unknown as Edge, { req: request } as unknown as EdgeContext, {
    key: { tph: 1n, tpd: null } as unknown as CachedKey,
    share: share as unknown as RequestShare,
  })
  expect(received.json).toEqual(body)
  return share.beginTurn.mock.calls.length
}

test('a small body takes a turn only if it has many values, however long its text is', async () => {
  const filled = (count: number) => ({ tools: Array.from({ length: count }, () => ({ name: 'a' })) })
  expect(await turnsOf({ messages: [{ content: 'Lorem ipsum '.repeat(5_000) }] })).toBe(0)
  expect(await turnsOf(filled(490))).toBe(0)
  expect(await turnsOf(filled(510))).toBe(1)
})
