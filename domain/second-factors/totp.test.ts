import fc from 'fast-check'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { createTotpSecret, stepOfCode } from './totp.ts'

const codeAt = (secret: string, timestamp: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })

test('a code is accepted in its own step and in the steps before and after it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 2 ** 33 }), fc.integer({ min: 0, max: 29_999 }), (step, within) => {
      const secret = createTotpSecret()
      const code = codeAt(secret, step * 30_000 + within)
      const stepAt = (steps: number) => stepOfCode(secret, { code, nowMs: (step + steps) * 30_000 + within })
      expect([stepAt(-1), stepAt(0), stepAt(1)]).toEqual([step, step, step])
    }),
  )
})

test('a code is refused two steps before and after, unless it is by chance a code of another step', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const nowMs = 1_111_111_109_000
  const code = codeAt(secret, nowMs)
  expect(code).toBe('081804') // RFC 6238, appendix B, in six digits
  for (const steps of [-3, -2, 2, 3])
    expect(stepOfCode(secret, { code, nowMs: nowMs + steps * 30_000 })).toBeUndefined()
})
