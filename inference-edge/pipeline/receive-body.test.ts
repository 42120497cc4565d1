import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { receiveBody } from './receive-body.ts'
import type { RequestShare } from './request-share.ts'

/** The turn that a body takes on the event loop. */
async function turnOf(body: object): Promise<'one' | 'text' | undefined> {
  const bytes = Buffer.from(JSON.stringify(body))
  const request = new Readable({ read: () => {} })
  request.push(bytes)
  request.push(null)
  Object.assign(request, { complete: true, headers: { 'content-length': String(bytes.length) } })
  const share = {
    takeBytes: () => {},
    beginTurn: vi.fn(async () => {}),
    beginTextTurn: vi.fn(async () => {}),
  }
  const edge = { config: { bodyLimitBytes: 1 << 20, bodyTimeoutMs: 1_000 }, load: { waiting: 0 } }
  const counted = { req: request, state: { allowed: {} } }
  const received = await receiveBody(edge as unknown as Edge, counted as unknown as EdgeContext, {
    key: { tph: null, tpd: null } as unknown as CachedKey,
    share: share as unknown as RequestShare,
  })
  expect(received.json).toEqual(body)
  if (share.beginTurn.mock.calls.length > 0) return 'one'
  return share.beginTextTurn.mock.calls.length > 0 ? 'text' : undefined
}

test('the turn of a body depends on its values, and of more than 64 kB also on its length', async () => {
  const filled = (count: number) => ({ tools: Array.from({ length: count }, () => ({ name: 'a' })) })
  const ofText = (repeats: number) => ({ messages: [{ content: 'Lorem ipsum '.repeat(repeats) }] })
  expect(await turnOf(ofText(5_000))).toBeUndefined()
  expect(await turnOf(ofText(10_000))).toBe('text')
  expect(await turnOf(filled(490))).toBeUndefined()
  expect(await turnOf(filled(510))).toBe('one')
  expect(await turnOf(filled(9_000))).toBe('one')
})
