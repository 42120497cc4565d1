import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BodyRefused } from '../../platform/http/read-body.ts'
import { readForm } from '../../platform/http/read-form.ts'
import { aClient } from '../harness/a-client.ts'
import { theMediaEdge } from '../harness/media/a-media-edge.ts'
import { anyBody, anyForm, formType, unknownFile } from './any-body.ts'
import { catchFaults, sendBody } from './send-body.ts'

const system = theMediaEdge({
  RATE_REQUESTS: '1000000',
  ALLOWANCES: 'requests=1000000/1000000,requests_in_flight=8/8',
})

test('any body is answered or refused, whatever its pieces are and whenever its client leaves', async () => {
  const faults = catchFaults()
  const [patient, impatient] = [await aClient(system), await aClient(system)]
  await fc.assert(
    fc.asyncProperty(anyBody, async sent => {
      faults.length = 0
      const { text } = sent.leaves ? impatient : patient
      const status = await sendBody(system.edge.url, sent, text)
      if (!sent.leaves) expect(status).toBeOneOf([200, 400, 404, 413])
      expect(faults).toEqual([])
    }),
    { numRuns: 200, examples: [[unknownFile]] },
  )
})

test('the reading of any form ends, whichever of its files are refused', async () => {
  await fc.assert(
    fc.asyncProperty(anyForm, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), async (body, taken) => {
      const reading = readForm({ 'content-type': formType }, Readable.from([body]), {
        limits: { files: 3, fields: 3, fieldBytes: 1_000 },
        async onFile({ source }) {
          const isTaken = taken.shift()
          if (isTaken !== undefined) await buffer(source)
          if (!isTaken) throw new BodyRefused('invalid_request')
        },
      })
      await reading.catch(error => expect(error).toBeInstanceOf(BodyRefused))
    }),
    { numRuns: 1_000 },
  )
})
