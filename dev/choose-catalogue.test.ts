import { expect, test } from 'vitest'
import { catalogueFolder } from '../domain/models/catalogue-folder.ts'
import { aSettingsFile } from '../test/harness/a-context.ts'
import { theCatalogue } from '../test/harness/the-catalogue.ts'
import { chooseCatalogue, withRealModels } from './choose-catalogue.ts'

test('without keys of vendors, it is the demo catalogue', async () => {
  expect(await chooseCatalogue({ VENDOR_A_API_KEY: '' })).toEqual(await theCatalogue())
})

test('a vendor whose key is set has its real models, and the other vendors keep theirs', async () => {
  const { vendors, models } = await chooseCatalogue({ VENDOR_A_API_KEY: 'real', VENDOR_F_API_KEY: 'own' })
  const ofVendor = (label: string) =>
    models.filter(({ provider }) => provider === label).map(({ model }) => model)
  expect(ofVendor('vendor_a')).toContain('vendor_a/gpt-5.4')
  expect(ofVendor('vendor_a')).not.toContain('vendor_a/atlas')
  expect(ofVendor('vendor_b')).toContain('vendor_b/lyric')
  expect(ofVendor('vendor_f')).toContain('vendor_f/canvas') // it has no real models
  expect(vendors.map(({ name }) => name).slice(0, 3)).toEqual(['OpenAI', 'Birch', 'Cedar'])
  const ids = new Set(models.map(({ id }) => id))
  expect(models.flatMap(({ fallbacks }) => fallbacks).filter(id => !ids.has(id))).toEqual([])
})

test('a vendor that only serves a route of a real model is the real one', async () => {
  const [demo, real] = [await theCatalogue(), await chooseCatalogue({ CATALOG: 'real' })]
  const routes = [{ vendor: 'vendor_f', upstream: { model: 'gpt-5.4-eu' } }]
  const routed = real.models.map(entry => (entry.modality === 'chat' ? { ...entry, routes } : entry))
  const { vendors, models } = withRealModels(demo, { ...real, models: routed }, label =>
    ['vendor_a', 'vendor_f'].includes(label),
  )
  expect(vendors.find(({ label }) => label === 'vendor_f')).toMatchObject({ adapter: 'openai-chat' })
  expect(models.filter(({ provider }) => provider === 'vendor_f')).toEqual([])
})

test('CATALOG chooses one for all vendors', async () => {
  const demo = await chooseCatalogue({ CATALOG: 'demo', VENDOR_A_API_KEY: 'real' })
  expect(demo).toEqual(await theCatalogue())
  const real = await chooseCatalogue({ CATALOG: 'real' })
  expect(real.models.map(({ id }) => id)).toContain('chat.claude-opus-5')
  await expect(chooseCatalogue({ CATALOG: '/nowhere' })).rejects.toThrow('/nowhere')
})

test('production starts from the real catalogue', () => {
  expect(catalogueFolder({ catalogue: '', environment: 'production' })).toMatch(/schema\/real-catalog$/)
  expect(catalogueFolder({ catalogue: '', environment: 'test' })).toMatch(/schema\/catalog$/)
  expect(catalogueFolder({ catalogue: 'demo', environment: 'production' })).toMatch(/schema\/catalog$/)
  expect(catalogueFolder({ catalogue: '/our/catalogue', environment: 'production' })).toBe('/our/catalogue')
})

test('credentials in the file make a vendor real too', async () => {
  const file = aSettingsFile({ vendor_a: [{ name: 'main', api_key: 'real' }] })
  const { models } = await chooseCatalogue({ VENDOR_CREDENTIALS_FILE: file })
  expect(models.some(({ model }) => model === 'vendor_a/gpt-5.4')).toBe(true)
})
