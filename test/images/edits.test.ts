import { createOpenAI } from '@ai-sdk/openai'
import { generateImage } from 'ai'
import { toFile } from 'openai'
import { beforeEach, describe, expect, test } from 'vitest'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { balanceOf, logsOf } from '../harness/invariants.ts'
import { theMediaEdge } from '../harness/media/a-media-edge.ts'
import { aFile } from '../harness/media/media-files.ts'

const system = theMediaEdge()

let client: TestClient
beforeEach(async () => {
  system.simulator.reset()
  client = await aClient(system, { creditNanos: 10_000_000_000n })
})

const spent = async () => 10_000_000_000n - (await balanceOf(system.context.sql, client.accountId)).credits
const isPng = (base64: string | undefined) =>
  Buffer.from(base64 ?? '', 'base64')
    .subarray(1, 4)
    .toString() === 'PNG'
const png = () => toFile(aFile('png'), 'cat.png', { type: 'image/png' })

describe("the OpenAI SDK's images.edit", () => {
  test('sends one image, and gets it by address and by content', async () => {
    const { data } = await client.openai.images.edit({
      model: 'vendor_a/mural-edit',
      image: await png(),
      prompt: 'A hat for the cat',
      n: 2,
      quality: 'low',
      size: '1536x1024',
    })
    expect(data).toHaveLength(2)
    for (const image of data ?? []) {
      expect(isPng(image.b64_json)).toBe(true)
      const served = Buffer.from(await (await fetch(image.url!)).arrayBuffer())
      expect(served.toString('base64')).toBe(image.b64_json)
    }
    expect(await spent()).toBe(33_000_000n)
    const [log] = await logsOf(system, client)
    expect(log).toMatchObject({ route: 'images.edits', model: 'vendor_a/mural-edit', status: 200 })
    expect(system.simulator.calls.some(({ path }) => path.endsWith('/images/edits'))).toBe(true)
  })

  test.each(['url', 'b64_json'] as const)(
    'sends several, for models of each format, and asks for %s',
    async response_format => {
      for (const model of ['vendor_g/fresco-edit', 'vendor_c/vista-edit', 'vendor_h/brushwork']) {
        const image = [await png(), await toFile(aFile('jpg'), 'dog.jpg')]
        const { data } = await client.openai.images.edit({
          model,
          image,
          prompt: 'Together',
          response_format,
        })
        expect(Object.keys(data?.[0] ?? {})).toEqual([response_format])
      }
    },
  )

  test('is told what is wrong, by parameter', async () => {
    const edit = (changes: object) =>
      client.openai.images.edit({ model: 'vendor_a/mural-edit', image: [], prompt: 'x', ...changes } as never)
    await expect(edit({ image: await png(), quality: 'hd' })).rejects.toMatchObject({
      status: 400,
      param: 'quality',
    })
    await expect(edit({ image: await png(), mask: await png() })).rejects.toMatchObject({ param: 'mask' })
    await expect(edit({ image: await toFile(Buffer.from('<html>'), 'x.png') })).rejects.toMatchObject({
      param: 'image',
    })
    await expect(edit({ image: await png(), n: 11 })).rejects.toMatchObject({ param: 'n' })
    await expect(edit({})).rejects.toMatchObject({ param: 'image_urls' })
    expect(await spent()).toBe(0n)
  })

  test('is answered once under an Idempotency-Key, however its form is written', async () => {
    const options = { headers: { 'idempotency-key': 'hat' } }
    const edit = async (prompt: string) =>
      client.openai.images.edit({ model: 'vendor_g/fresco-edit', image: await png(), prompt }, options)
    const first = await edit('A hat')
    expect(await edit('A hat')).toEqual(first)
    await expect(edit('Two hats')).rejects.toMatchObject({ status: 409 })
    expect(await spent()).toBe(43_000_000n)
  })
})

describe('the AI SDK', () => {
  const model = (name: string) => createOpenAI({ apiKey: client.text, baseURL: system.baseURL }).image(name)

  test('makes images', async () => {
    const { images } = await generateImage({
      model: model('vendor_g/fresco'),
      prompt: 'A cat',
      n: 2,
      size: '1024x1024',
      providerOptions: { openai: { quality: 'hd' } },
    })
    expect(images.map(image => [image.mediaType, isPng(image.base64)])).toEqual([
      ['image/png', true],
      ['image/png', true],
    ])
    expect(await spent()).toBe(160_000_000n)
  })

  test('edits images', async () => {
    const { image } = await generateImage({
      model: model('vendor_a/mural-edit'),
      prompt: { text: 'A hat for the cat', images: [new Uint8Array(aFile('png'))] },
    })
    expect(isPng(image.base64)).toBe(true)
    expect(await spent()).toBe(63_000_000n)
  })
})
