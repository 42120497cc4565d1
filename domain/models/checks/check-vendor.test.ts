import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCatalogue } from '../read-catalogue.ts'

const shipped = join(import.meta.dirname, '../../../schema/catalog')

/** Returns the faults of the catalogue if keys are added to one vendor. */
async function faultsOf(label: string, added: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'vendors-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(shipped, folder, { recursive: true })
  const path = join(folder, 'vendors.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(`${label}: {`, `${label}: { ${added},`))
  return readCatalogue(folder).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  )
}

test('a vendor of a free label can have a header for its key, and quirks', async () => {
  expect(
    await faultsOf('vendor_r', 'key: { header: api-key, scheme: "" }, quirks: [no_developer_role]'),
  ).toEqual([])
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
