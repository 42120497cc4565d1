import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RequestRules } from '../../../schema/catalog/generation.ts'
import { aMediaEntry } from '../../../test/harness/media/a-media-call.ts'
import { buildFields } from './media-request.ts'

/** The fields that these rules make of parameters. */
function fieldsOf(request: RequestRules | undefined, values: Record<string, unknown>, without?: string[]) {
  const entry = aMediaEntry('vendor_i/reel')
  const { request: _own, ...vendor } = entry.upstream
  const upstream = { ...vendor, ...(request && { request }) }
  return buildFields({ entry: { ...entry, upstream }, parameters: values }, without)
}

const parameters = {
  prompt: 'A lighthouse',
  n: 2,
  duration: 5,
  resolution: '2K',
  aspect_ratio: '16:9',
  image_urls: ['a', 'b'],
}

test('without rules parameters are sent as they are, but for those that the adapter sends itself', () => {
  expect(fieldsOf(undefined, parameters)).toEqual(parameters)
  expect(fieldsOf({ under: 'input', fields: [] }, { prompt: 'x', n: 1 }, ['n'])).toEqual({
    input: { prompt: 'x' },
  })
})

test('a parameter is renamed, nested, translated, retyped or left out', () => {
  const fields = [
    { from: 'duration', to: 'options.seconds', as: 'text' as const },
    { from: 'resolution', to: 'options.scale', values: { '2K': 2, '4K': 4 } },
    { from: 'n' },
    { to: 'options.watermark', value: false },
  ]
  expect(fieldsOf({ fields }, parameters)).toEqual({
    prompt: 'A lighthouse',
    aspect_ratio: '16:9',
    image_urls: ['a', 'b'],
    options: { seconds: '5', scale: 2, watermark: false },
  })
})

test('several parameters are looked up together', () => {
  const fields = [{ from: ['aspect_ratio', 'resolution'], to: 'size', values: { '16:9 2K': '2048x1152' } }]
  expect(fieldsOf({ fields }, { aspect_ratio: '16:9', resolution: '2K' })).toEqual({ size: '2048x1152' })
})

test('a list is sent whole, item by item, or as objects', () => {
  const rules = (more: object) => ({ fields: [{ from: 'image_urls', to: 'x', ...more }] })
  const given = { image_urls: ['a', 'b'] }
  expect(fieldsOf(rules({}), given)).toEqual({ x: ['a', 'b'] })
  expect(fieldsOf(rules({ item: 1 }), given)).toEqual({ x: 'b' })
  expect(fieldsOf(rules({ item: 2 }), given)).toEqual({})
  expect(fieldsOf(rules({ each: 'url' }), given)).toEqual({ x: [{ url: 'a' }, { url: 'b' }] })
  expect(fieldsOf(rules({}), {})).toEqual({})
})

test('whatever the client sends reaches no prototype and is sent once', () => {
  const name = fc.constantFrom('prompt', 'duration', 'constructor', 'toString', '__proto__')
  const given = fc.array(fc.tuple(name, fc.jsonValue())).map(pairs => {
    const values: Record<string, unknown> = {}
    for (const [key, value] of pairs)
      Object.defineProperty(values, key, { value, enumerable: true, configurable: true })
    return values
  })
  const fields = [
    { from: 'prompt', to: 'input.prompt' },
    { from: 'duration', to: 'constructor.prototype.seconds' },
  ]
  fc.assert(
    fc.property(given, asked => {
      const body = fieldsOf({ fields }, asked)
      expect(Reflect.get(Object, 'seconds')).toBeUndefined()
      expect(Reflect.get({}, 'seconds')).toBeUndefined()
      const sent = JSON.parse(JSON.stringify(body))
      if (Object.hasOwn(sent, 'prompt')) expect(sent.input?.prompt).toEqual(sent.prompt)
    }),
  )
})
