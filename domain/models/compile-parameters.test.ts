import { expect, test } from 'vitest'
import { Problem } from '../../schema/errors.ts'
import { problemAt, thrownBy } from '../../test/harness/a-refusal.ts'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { compileParameters, openValidator } from './compile-parameters.ts'

const { models } = await theCatalogue()
const check = (id: string, given: Record<string, unknown>, allowLoopback = false) => {
  const entry = models.find(candidate => candidate.id === id)
  if (!entry || entry.modality === 'chat') throw new Error(id)
  return compileParameters({ validator: openValidator({ allowLoopback }) }, entry)(given)
}
const [a, b, c, d] = ['troupe', 'likeness', 'ensemble-fast', 'ensemble'].map(
  slug => `reference-to-video.${slug}`,
)
const prompt = 'A dance'
const url = 'https://example.com/a.png'
const inline = 'data:image/png;base64,iVBORw0KGgo='
const shared = { aspect_ratio: '16:9', movement_amplitude: 'auto', bgm: false }
const many = (count: number) => Array.from({ length: count }, () => url)

test.each([
  [a!, { size: '1920*1080', duration: 5, shot_type: 'single', audio: true, watermark: false }],
  [b!, { duration: '6', resolution: '2K', aspect_ratio: '16:9' }],
  [c!, { duration: 5, resolution: '720p', audio: false, ...shared }],
  [d!, shared],
])('omitted parameters of %s get their defaults', (id, defaults) => {
  expect(check(id, { prompt, image_urls: [url] })).toEqual({ prompt, image_urls: [url], ...defaults })
})

test('null counts as omitted', () => {
  expect(check(d!, { prompt, image_urls: [url], seed: null })).toEqual(
    check(d!, { prompt, image_urls: [url] }),
  )
})

test('an error states the allowed values', () => {
  const said = (given: Record<string, unknown>) => () => check(a!, { prompt, image_urls: [url], ...given })
  expect(said({ shot_type: 'long' })).toThrow('shot_type must be one of single, multi.')
  expect(said({ image_urls: [url, inline] })).toThrow('image_urls[1] must be a public HTTPS address.')
  expect(said({ image_urls: [] })).toThrow('At least one of image_urls, video_urls is required.')
  expect(said({ duration: 11 })).toThrow('duration must be <= 10.')
  expect(said({ bgm: true })).toThrow('The model does not take bgm.')
})

test('the input is not changed', () => {
  const given = Object.freeze({ prompt, image_urls: Object.freeze([url]) })
  expect(check(d!, given)).not.toBe(given)
})

test.each([
  ['A', a!, { image_urls: many(5), video_urls: many(1), duration: 10, shot_type: 'multi', seed: 0 }],
  ['A', a!, { video_urls: many(3), prompt: '…'.repeat(1500), negative_prompt: '…'.repeat(500) }],
  ['A', a!, { image_urls: many(1), seed: 2147483647 }],
  ['B', b!, { prompt: '👋'.repeat(7000), image_urls: [inline], duration: '10', aspect_ratio: 'adaptive' }],
  ['C', c!, { image_urls: many(7), duration: 1, movement_amplitude: 'high', prompt: 'x'.repeat(2000) }],
  ['D', d!, { image_urls: many(7), movement_amplitude: 'large', prompt: 'x'.repeat(1500) }],
])('profile %s accepts allowed values: %#', (_, id, given) => {
  expect(check(id, { prompt, ...given })).toMatchObject(given)
})

test.each<[profile: string, id: string, given: Record<string, unknown>, code: string, param: string]>([
  ['A', a!, {}, 'missing_parameter', 'image_urls'],
  ['A', a!, { image_urls: [] }, 'missing_parameter', 'image_urls'],
  ['A', a!, { prompt: undefined, image_urls: [url] }, 'missing_parameter', 'prompt'],
  ['A', a!, { prompt: 'x'.repeat(1501), image_urls: [url] }, 'invalid_request', 'prompt'],
  ['A', a!, { image_urls: many(6) }, 'invalid_request', 'image_urls'],
  ['A', a!, { video_urls: many(4) }, 'invalid_request', 'video_urls'],
  ['A', a!, { image_urls: [inline] }, 'invalid_request', 'image_urls[0]'],
  ['A', a!, { image_urls: ['http://example.com/a.png'] }, 'invalid_request', 'image_urls[0]'],
  ['A', a!, { image_urls: [url], size: '1920x1080' }, 'invalid_request', 'size'],
  ['A', a!, { image_urls: [url], duration: 1 }, 'invalid_request', 'duration'],
  ['A', a!, { image_urls: [url], duration: 11 }, 'invalid_request', 'duration'],
  ['A', a!, { image_urls: [url], duration: 2.5 }, 'invalid_request', 'duration'],
  ['A', a!, { image_urls: [url], duration: '5' }, 'invalid_request', 'duration'],
  ['A', a!, { image_urls: [url], negative_prompt: 'x'.repeat(501) }, 'invalid_request', 'negative_prompt'],
  ['A', a!, { image_urls: [url], seed: 2147483648 }, 'invalid_request', 'seed'],
  ['A', a!, { image_urls: [url], bgm: true }, 'unsupported_parameter', 'bgm'],
  ['B', b!, {}, 'missing_parameter', 'image_urls'],
  ['B', b!, { prompt: undefined, image_urls: [url] }, 'missing_parameter', 'prompt'],
  ['B', b!, { prompt: '👋'.repeat(7001), image_urls: [url] }, 'invalid_request', 'prompt'],
  ['B', b!, { image_urls: many(2) }, 'invalid_request', 'image_urls'],
  ['B', b!, { image_urls: [url], duration: 6 }, 'invalid_request', 'duration'],
  ['B', b!, { image_urls: [url], duration: '8' }, 'invalid_request', 'duration'],
  ['B', b!, { image_urls: [url], resolution: '1080p' }, 'invalid_request', 'resolution'],
  ['B', b!, { image_urls: [url], seed: 1 }, 'unsupported_parameter', 'seed'],
  ['C', c!, { image_urls: [] }, 'invalid_request', 'image_urls'],
  ['C', c!, {}, 'missing_parameter', 'image_urls'],
  ['C', c!, { image_urls: many(8) }, 'invalid_request', 'image_urls'],
  ['C', c!, { prompt: 'x'.repeat(2001), image_urls: [url] }, 'invalid_request', 'prompt'],
  ['C', c!, { image_urls: [url], movement_amplitude: 'large' }, 'invalid_request', 'movement_amplitude'],
  ['C', c!, { image_urls: [url], resolution: '4K' }, 'invalid_request', 'resolution'],
  ['C', c!, { image_urls: ['data:image/svg+xml;base64,PHN2Zz4='] }, 'invalid_request', 'image_urls[0]'],
  ['D', d!, { image_urls: [url], movement_amplitude: 'high' }, 'invalid_request', 'movement_amplitude'],
  ['D', d!, { prompt: '👋'.repeat(1501), image_urls: [url] }, 'invalid_request', 'prompt'],
  ['D', d!, { image_urls: [url], duration: 5 }, 'unsupported_parameter', 'duration'],
  ['D', d!, { image_urls: [url], resolution: '1080p' }, 'unsupported_parameter', 'resolution'],
])('profile %s refuses other values: %#', (_, id, given, code, param) => {
  expect(thrownBy(() => check(id, { prompt, ...given }))).toEqual(problemAt(param, code))
})

test('plain HTTP addresses of this machine are accepted only if allowed', () => {
  const given = { prompt, image_urls: ['http://127.0.0.1:8080/media/a.png'] }
  expect(() => check(a!, given)).toThrow(Problem)
  expect(check(a!, given, true)).toMatchObject(given)
  expect(() => check(a!, { prompt, image_urls: ['http://127.0.0.1.example.com/a.png'] }, true)).toThrow(
    Problem,
  )
})
