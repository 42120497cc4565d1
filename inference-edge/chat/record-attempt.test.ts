import { expect, test } from 'vitest'
import type { AttemptRecord } from '../../domain/logs/request-log.ts'
import { aChatEntry } from '../../test/harness/a-chat-call.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import { recordAttempt } from './record-attempt.ts'

const entry = aChatEntry('vendor_a/atlas')
const attemptOf = (byokId: string) => ({
  entry,
  target: { vendor: 'vendor_a', baseUrl: '', apiKey: 'k', byokId },
  model: { entry, price: undefined! },
  candidate: undefined,
})

test('however many attempts there were and whatever was said, the log of them stays small', () => {
  const attempts: AttemptRecord[] = []
  for (let index = 0; index < 500; index++) {
    const failure = new UpstreamFailure('broken', { message: '"\\\n'.repeat(10_000) })
    recordAttempt(attempts, attemptOf(`own-${index}`), {
      durationMs: 1.6,
      failure: failure.of({ byokId: 'x', apiKey: 'k' }),
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
