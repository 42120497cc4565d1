import { expect, test } from 'vitest'
import { theCatalogue } from '../../test/harness/the-catalogue.ts'
import { compileChatPrice } from './compile-chat-price.ts'
import { compileMediaPrice } from './compile-media-price.ts'
import { ATTOS_PER_NANO } from './parse-price.ts'

const { models } = await theCatalogue()

function chatEntry(id: string) {
  return models.filter(entry => entry.modality === 'chat').find(entry => entry.id === id)!
}

function mediaEntry(id: string) {
  return models.filter(entry => entry.modality !== 'chat').find(entry => entry.id === id)!
}

const [profileA, profileB, profileC, profileD] = [
  'reference-to-video.troupe',
  'reference-to-video.likeness',
  'reference-to-video.ensemble-fast',
  'reference-to-video.ensemble',
]

const large = ['1920*1080', '1080*1920', '1440*1440', '1632*1248', '1248*1632']
const small = ['1280*720', '720*1280', '960*960', '1088*832', '832*1088']

test.each([
  // Profile A: 0.15 a second at about 2M pixels, 0.10 at about 0.9M
  ...large.map(size => [profileA, { size }, 0.75]),
  ...small.map(size => [profileA, { size }, 0.5]),
  [profileA, {}, 0.75],
  [profileA, { duration: 2 }, 0.3],
  [profileA, { duration: 10, size: '832*1088', audio: false }, 1],
  // Profile B: 0.10 a second
  [profileB, {}, 0.6],
  [profileB, { duration: '6' }, 0.6],
  [profileB, { duration: '10', aspect_ratio: 'adaptive' }, 1],
  // Profile C: 0.04, 0.06 and 0.12 a second, audio 0.064
  [profileC, {}, 0.3],
  [profileC, { resolution: '540p' }, 0.2],
  [profileC, { resolution: '720p' }, 0.3],
  [profileC, { resolution: '1080p' }, 0.6],
  [profileC, { resolution: '540p', duration: 1 }, 0.04],
  [profileC, { resolution: '1080p', duration: 10 }, 1.2],
  [profileC, { audio: true }, 0.364],
  [profileC, { audio: true, resolution: '1080p', duration: 10 }, 1.264],
  [profileC, { audio: false, bgm: true }, 0.3],
  // Profile D: 0.40 a video, 85 percent of it charged
  [profileD, {}, 0.34],
  [profileD, { aspect_ratio: '9:16', bgm: true }, 0.34],
  // Images, each tier
  ['text-to-image.canvas', {}, 0.03],
  ['text-to-image.canvas', { resolution: '2K', n: 2 }, 0.1],
  ['text-to-image.canvas', { resolution: '4K', n: 10 }, 1.2],
  ['text-to-image.fresco', { quality: 'hd', aspect_ratio: '9:16', n: 3 }, 0.36],
  ['image-edit.fresco-edit', { n: 2, image_urls: ['a', 'b', 'c'] }, 0.089],
  ['image-upscale.lens', { resolution: '4K', image_urls: ['a'] }, 0.06],
  // Video flat by length, and sound by the second
  ['text-to-video.flipbook', { duration: 10, resolution: '1080p' }, 0.6],
  ['text-to-video.sonora', {}, 2.4],
  ['text-to-video.sonora', { audio: false, duration: 4, resolution: '1080p' }, 1.2],
  // Audio by character, second and track
  ['text-to-speech.herald', { input: 'naïve 👋🏽' }, 0.00024],
  ['text-to-music.tempo', {}, 0.12],
  ['text-to-music.ballad', {}, 0.08],
  ['text-to-sound.foley', { duration: 22 }, 0.044],
] as [string, Record<string, unknown>, number][])('%s %j costs %d dollars', (id, parameters, dollars) => {
  const { amountNanos, terms } = compileMediaPrice(mediaEntry(id)).explain({ prompt: '…', ...parameters })
  expect(amountNanos).toBe(BigInt(Math.round(dollars * 1e9)))
  expect(terms.reduce((sum, term) => sum + term.amountAttos, 0n)).toBe(amountNanos * ATTOS_PER_NANO)
})

test('a discounted price says what the list price was', () => {
  const { terms } = compileMediaPrice(mediaEntry(profileD!)).explain({ prompt: '…' })
  expect(terms).toEqual([
    {
      label: 'video',
      quantity: 1,
      unit: 'video',
      attosPerUnit: 4n * 10n ** 17n,
      amountAttos: 4n * 10n ** 17n,
    },
    {
      label: 'discount',
      quantity: 15,
      unit: 'percent',
      attosPerUnit: -4n * 10n ** 15n,
      amountAttos: -6n * 10n ** 16n,
    },
  ])
})

test('a cache write of vendor_b costs one and a quarter of its input', () => {
  const used = { promptTokens: 100_000, cachedTokens: 0, completionTokens: 0 }
  const price = (cacheCreationTokens: number) =>
    compileChatPrice(chatEntry('chat.lyric').prices).explain({ ...used, cacheCreationTokens }).amountNanos
  expect(price(0)).toBe(300_000_000n)
  expect(price(100_000)).toBe(375_000_000n)
})

test('a request that no rate is for is never free', () => {
  expect(() => compileMediaPrice(mediaEntry(profileA!)).explain({ size: '1*1' })).toThrow('internal error')
  expect(() => compileMediaPrice(mediaEntry(profileA!)).explain({ duration: 2.5 })).toThrow(
    'cannot be priced',
  )
})
