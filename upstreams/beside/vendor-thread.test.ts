import { afterAll, expect, test } from 'vitest'
import { openVendorThread } from './vendor-thread.ts'

const thread = openVendorThread()
afterAll(() => thread.close())

const long = (text: string) => text.repeat(Math.ceil(70_000 / text.length))

test.each([
  ['base64', long('iVBORw0KGgo')],
  ['quotation marks, backslashes and line feeds', long('"\\\n\u0001')],
  ['ASCII up to DEL', long('a\u007f')],
  ['Latin-1', long('é')],
  ['other scripts and lone surrogates', long('ᚠ\u{1f600}\ud800')],
])('long texts of %s are printed as JSON.stringify prints them', async (_, text) => {
  const value = { model: 'm', content: [{ text, nothing: undefined }, text, null, 1.5, true], last: text }
  expect((await thread.print(value)).toString()).toBe(JSON.stringify(value))
})

test('long texts in base64 of an answer become bytes, and all else stays', async () => {
  const image = Buffer.alloc(100_000, 'image')
  const answer = {
    data: [{ b64_json: image.toString('base64'), n: 1 }],
    text: long('no base64!'),
    short: 'aGk=',
  }
  const read = await thread.readMedia(Buffer.from(JSON.stringify(answer)), 1_000)
  expect(read).toEqual({ ...answer, data: [{ b64_json: new Uint8Array(image), n: 1 }] })
})

test('embeddings are checked and printed; the failure of an answer is that of its vendor', async () => {
  const read = (answer: unknown, maxValues = 1_000) =>
    thread.readEmbeddings(Buffer.from(JSON.stringify(answer)), { count: 1, maxValues })
  const usage = { prompt_tokens: 3 }
  const { list, rest } = await read({ data: [{ index: 0, embedding: [0.25, -1e-7], other: 1 }], usage })
  expect(JSON.parse(list.toString())).toEqual([{ object: 'embedding', index: 0, embedding: [0.25, -1e-7] }])
  expect(rest).toEqual({ usage })
  await expect(read({ data: [] })).rejects.toMatchObject({ kind: 'broken' })
  await expect(read({ data: [{ index: 0, embedding: Array(2_000).fill(0) }] })).rejects.toThrow('1000 values')
  await expect(read('no object')).rejects.toMatchObject({ kind: 'broken' })
})
