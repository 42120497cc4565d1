import { describe, expect, onTestFinished, test } from 'vitest'
import type { ChatRequest } from '../../schema/wire/chat.ts'
import { aRefusal } from '../harness/a-refusal.ts'
import { aVendor, type TestVendor } from '../harness/a-vendor.ts'
import { theVendors } from './call-a-vendor.ts'

const vendors = theVendors()

const inline = 'data:image/png;base64,aGk='

/** A question about these images, to the vendor's own address. */
function compare(
  model: string,
  path: string,
  { urls, ...fields }: { urls: string[] } & Partial<ChatRequest>,
) {
  const images = urls.map(url => ({ type: 'image_url', image_url: { url } }))
  const content = [{ type: 'text', text: 'Compare these' }, ...images]
  const baseUrl = vendors.simulator.url + path
  const target = { vendor: model.split('/')[0]!, baseUrl, apiKey: 'sim-platform-key' }
  return vendors.call(target, { model, messages: [{ role: 'user', content }], ...fields })
}

test.each([
  ['vendor_a/atlas', '/openai/v1'],
  ['vendor_b/lyric', '/anthropic'],
])('%s sees them, inline and by address', async (model, path) => {
  for (const stream of [false, true]) {
    const { text } = await compare(model, path, { urls: [inline, 'https://example.com/a.png'], stream })
    expect(text).toContain('and saw 2 attached')
  }
})

describe('a vendor that takes none by address', () => {
  const request = (fields: { urls: string[]; stream: boolean }) =>
    compare('vendor_c/prism-pro', '/gemini', fields)
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

  /** Where images lie; `/gone.png` does not. */
  async function aGallery(): Promise<TestVendor> {
    const gallery = await aVendor((response, { path }) => {
      response.statusCode = path === '/gone.png' ? 404 : 200
      response.end(png)
    })
    onTestFinished(gallery.close)
    return gallery
  }

  test('is sent all inline, each fetched once', async () => {
    const gallery = await aGallery()
    const urls = [inline, `${gallery.url}/a.png`, `${gallery.url}/a.png`]
    for (const stream of [false, true]) {
      expect((await request({ urls, stream })).text).toContain('and saw 3 attached')
      expect(JSON.stringify(vendors.simulator.calls.at(-1)?.body)).toContain(png.toString('base64'))
    }
    expect(gallery.calls.map(({ path }) => path)).toEqual(['/a.png', '/a.png'])
  })

  test('is not called where one cannot be had, and that one is named', async () => {
    const { url } = await aGallery()
    for (const lost of [`${url}/gone.png`, 'http://8.8.8.8/a.png', 'https://10.0.0.1/a.png', 'file:///a.png'])
      for (const stream of [false, true])
        expect(await aRefusal(() => request({ urls: [inline, lost], stream }))).toEqual({
          problem: 'invalid_request',
          param: 'messages[0].content[2].image_url.url',
        })
    expect(vendors.simulator.calls).toEqual([])
  })
})
