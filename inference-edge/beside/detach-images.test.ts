import { expect, test } from 'vitest'
import { attachTexts } from '../../platform/json/detached-texts.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { detachImages } from './detach-images.ts'

const long = 'QUJD'.repeat(20_000)
const uri = `data:image/png;base64,${long}`

const chat = (part: object, role = 'user') => ({ model: 'a', messages: [{ role, content: [part] }] })
const image = (source: object) => ({ type: 'image', source })

const detached: [what: string, Protocol['route'], object][] = [
  ['an image of a chat', 'chat.completions', chat({ type: 'image_url', image_url: { url: uri } })],
  [
    'an image of a response',
    'responses',
    { input: [{ content: [{ type: 'input_image', image_url: uri }] }] },
  ],
  ['an image of a message', 'messages', chat(image({ type: 'base64', media_type: 'image/png', data: long }))],
  [
    'an image of a tool result',
    'messages',
    chat({
      type: 'tool_result',
      tool_use_id: 'a',
      content: [image({ type: 'base64', media_type: 'image/webp', data: long })],
    }),
  ],
]

test.each(detached)(
  '%s is detached, and takes its place when the request is printed',
  async (_, route, json) => {
    const before = JSON.stringify(json)
    const images = detachImages(json, route)!
    const short = JSON.stringify(json)
    expect(short.length).toBeLessThan(1_000)
    expect(images.texts.map(text => Buffer.from(text).toString())).toEqual([long])
    expect((await attachTexts(short, images)).toString()).toBe(before)
  },
)

const kept: [what: string, Protocol['route'], object][] = [
  [
    'a short image',
    'chat.completions',
    chat({ type: 'image_url', image_url: { url: uri.slice(0, 60_000) } }),
  ],
  [
    'an image with white space',
    'chat.completions',
    chat({ type: 'image_url', image_url: { url: `${uri}\nQUJD` } }),
  ],
  [
    'an address',
    'chat.completions',
    chat({ type: 'image_url', image_url: { url: `https://a.test/${long}` } }),
  ],
  ['a document', 'chat.completions', chat({ type: 'file', file: { file_data: uri } })],
  ['a text that is an image', 'chat.completions', chat({ type: 'text', text: uri })],
  [
    'a part of another protocol',
    'chat.completions',
    chat(image({ type: 'base64', media_type: 'image/png', data: long })),
  ],
  ['a PDF', 'messages', chat(image({ type: 'base64', media_type: 'application/pdf', data: long }))],
  ['a list of texts', 'embeddings', { input: [{ content: [{ type: 'input_image', image_url: uri }] }] }],
  ['a tool', 'chat.completions', { tools: [{ content: [{ type: 'image_url', image_url: { url: uri } }] }] }],
]

test.each(kept)('%s stays in the JSON', (_, route, json) => {
  const before = structuredClone(json)
  expect(detachImages(json, route)).toBeUndefined()
  expect(json).toEqual(before)
})
