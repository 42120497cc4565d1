import { expect, test } from 'vitest'
import { faultsAfter } from '../../../test/models/an-edited-catalogue.ts'

/** Returns the faults of the catalogue if keys are added to one vendor. */
const faultsOf = (label: string, added: string) =>
  faultsAfter({ 'vendors.yaml': [`${label}: {`, `${label}: { ${added},`] })

test('a vendor of a free label can have a header for its key, and quirks', async () => {
  const added = "key: { header: api-key, scheme: '' }, quirks: [no_developer_role]"
  expect(await faultsOf('vendor_r', added)).toEqual([])
})

test.each([
  ['vendor_r', 'key: { header: Content-Type }', 'vendor_r.key.header: Content-Type cannot carry a key'],
  ['vendor_r', 'key: { name: api-key }', 'vendor_r.key.name: is not a known key'],
  ['vendor_r', 'quirks: [no_humour]', 'vendor_r.quirks[0]: must be one of no_developer_role'],
  ['vendor_b', 'key: { header: api-key }', 'vendor_b.key: the format anthropic-messages has its own header'],
  ['vendor_g', 'quirks: [no_stream_options]', 'vendor_g.quirks: concern the format openai-chat'],
])('%s with %s is a fault at its line', async (label, added, message) => {
  const [fault, ...others] = await faultsOf(label, added)
  expect(others).toEqual([])
  expect(fault).toMatch(/^vendors\.yaml:\d+: /)
  expect(fault).toContain(message)
})
