import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { theEdgeSystem } from '../harness/an-edge.ts'

const system = theEdgeSystem()

const images = [randomBytes(90_000), randomBytes(120_000)].map(bytes => bytes.toString('base64'))
const uris = images.map(data => `data:image/png;base64,${data}`)

const bodies: [path: string, body: (model: string) => object][] = [
  [
    '/chat/completions',
    model => {
      const content = uris.map(url => ({ type: 'image_url', image_url: { url } }))
      return { model, messages: [{ role: 'user', content }] }
    },
  ],
  [
    '/responses',
    model => {
      const content = uris.map(image_url => ({ type: 'input_image', image_url }))
      return { model, store: false, input: [{ role: 'user', content }] }
    },
  ],
  [
    '/messages',
    model => {
      const content = images.map(data => ({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data },
      }))
      return { model, max_tokens: 100, messages: [{ role: 'user', content }] }
    },
  ],
]

const models = ['vendor_a/atlas', 'vendor_b/lyric', 'vendor_c/prism-pro']
const cases = bodies.flatMap(([path, body]) => models.map(model => ({ path, model, body: body(model) })))

test.each(cases)('large images of $path arrive at the vendor of $model, byte for byte', async given => {
  const client = await aClient(system)
  const response = await client.post(given.path, JSON.stringify(given.body))
  expect(response.status, await response.text()).toBe(200)
  const sent = JSON.stringify(system.simulator.calls.at(-1)?.body)
  const places = images.map(data => sent.indexOf(data))
  expect(places[0]).toBeGreaterThan(0)
  expect(places[1]).toBeGreaterThan(places[0]! + images[0]!.length)
  expect(sent.length - images.join('').length).toBeLessThan(1_000)
})
