import { expect, test } from 'vitest'
import type { CachedKey } from '../../domain/keys/key-cache.ts'
import type { AttemptRecord } from '../../domain/logs/request-log.ts'
import { systemClock } from '../../platform/clock.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import { aChatEntry } from '../../test/harness/a-chat-call.ts'
import { aConfig } from '../../test/harness/a-context.ts'
import { openPlatformCredentials } from '../../upstreams/platform-credentials.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import { listAttempts } from './list-attempts.ts'
import { recordAttempt } from './record-attempt.ts'

const models = ['vendor_a/atlas', 'vendor_b/lyric'].map(model => ({ entry: aChatEntry(model) }))

/** The attempts of a request for the first model, of which the second is a fallback, with no credentials of one vendor. */
async function attemptsWhere(vendor: string, refusal: ErrorName): Promise<string[]> {
  const find = async (_accountId: string, _revision: bigint, asked: string) => {
    if (asked === vendor) throw new Problem(refusal)
    return []
  }
  const config = aConfig({ VENDOR_A_API_KEY: 'a', VENDOR_B_API_KEY: 'b' })
  const edge = {
    config,
    upstreams: {
      credentials: openPlatformCredentials(config, { clock: systemClock, breakerWaitMs: () => 0 }),
    },
    inference: { models: { vendor: () => ({ base_url: 'https://vendor.example' }) }, byok: { find } },
  }
  const key = { accountId: 'account', byokRevision: 1n } as CachedKey
  const attempts = await listAttempts(edge as unknown as Edge, { key, models })
  return attempts.map(({ target }) => target.vendor)
}

test("what stands against a fallback's vendor takes the fallback away, and no more", async () => {
  for (const refusal of ['byok_disabled', 'upstream_auth'] as const)
    expect(await attemptsWhere('vendor_b', refusal)).toEqual(['vendor_a'])
})

test('what stands against the vendor of the model that was asked for refuses the request', async () => {
  await expect(attemptsWhere('vendor_a', 'byok_disabled')).rejects.toMatchObject({
    errorName: 'byok_disabled',
  })
  await expect(attemptsWhere('vendor_b', 'unavailable')).rejects.toMatchObject({ errorName: 'unavailable' })
})

const entry = aChatEntry('vendor_a/atlas')
const attemptOf = (byokId: string) => ({
  entry,
  target: { vendor: 'vendor_a', baseUrl: '', apiKey: 'k', byokId },
  model: { entry, price: undefined! },
  own: undefined,
})

test('however many attempts there were and whatever was said, the log of them stays small', () => {
  const attempts: AttemptRecord[] = []
  for (let index = 0; index < 500; index++) {
    const failure = new UpstreamFailure('broken', { message: '"\\\n'.repeat(10_000) })
    recordAttempt(attempts, attemptOf(`own-${index}`), {
      durationMs: 1.6,
      failure: failure.redactFor({ byokId: 'x', apiKey: 'k' }),
    })
  }
  recordAttempt(attempts, attemptOf('own-last'), { durationMs: 2, failure: undefined })
  expect(attempts).toHaveLength(20)
  expect([attempts[0]?.credentialId, attempts.at(-1)]).toMatchObject([
    'own-0',
    { credentialId: 'own-last', error: null },
  ])
  expect(JSON.stringify(attempts).length).toBeLessThan(16_384)
})
