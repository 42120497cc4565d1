import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyManagementBody } from '../../test/edge/any-body.ts'
import { catchFaults, sendBody } from '../../test/edge/send-body.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'

const control = perFile(() =>
  aControlPlane({
    RATE_REQUESTS: '1000000',
    ALLOWANCES: 'management_calls=1000000/1000000',
    STRIPE_SECRET_KEY: 'sk_test_fuzzed_bodies',
    STRIPE_WEBHOOK_SECRET: 'whsec_fuzzed_bodies_0123456789',
  }),
)

test('any body of a management request is answered or refused, also in pieces or if the client disconnects', async () => {
  const person = await control.aPerson()
  const faults = catchFaults()
  await fc.assert(
    fc.asyncProperty(anyManagementBody, async sent => {
      faults.length = 0
      const status = await sendBody(control.url, sent, person.token)
      if (!sent.leaves) expect(status).toBeOneOf([200, 201, 204, 400, 401, 404, 413, 415, 422])
      expect(faults).toEqual([])
    }),
    { numRuns: 200 },
  )
})
