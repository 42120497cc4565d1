import { expect, test } from 'vitest'
import { aConfig } from '../../test/harness/a-context.ts'
import { simulatedVendors } from '../../test/harness/an-edge.ts'
import { aMediaCall, aMediaTarget } from '../../test/harness/media/a-media-call.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { submitTimeouts } from './media-timeouts.ts'

test("speech on a customer's own credential has three minutes, on the platform's a quarter of an hour", async () => {
  const vendors = simulatedVendors((await theCatalogue()).vendors, 'http://127.0.0.1:1')
  const config = aConfig({ DATABASE_URL: 'postgres://localhost/none', ...vendors })
  const call = aMediaCall('vendor_a/orator', {})
  const target = aMediaTarget(config, call)
  const defaults = { firstByteMs: 120_000, idleMs: 60_000, totalMs: 900_000 }
  expect(submitTimeouts(defaults, call.entry, target).totalMs).toBe(900_000)
  expect(submitTimeouts(defaults, call.entry, { ...target, byokId: 'own' }).totalMs).toBe(180_000)
})
