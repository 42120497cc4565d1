import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultsAfter, shipped } from '../../test/models/an-edited-catalogue.ts'

const audio = 'parameters/audio.yaml'
const images = 'models/images.yaml'
const videos = 'models/videos.yaml'
const others = 'models/chat-others.yaml'

/** Edits of the shipped catalogue, and the single fault of each: `from → to → fault`, below their file. */
const edits = String.raw`
models/videos.yaml
  0.055 per second → 0.055 a second → prices.rates[0].price: "0.055 a second" is not a price: write…
  0.055 per second → 0.055 per minute → prices.rates[0].price: "minute" is not a unit of prices…
  0.055 per second → 0.055 → prices.rates[0].price: must be string
  rates:\n      - { price: 0.055 per second } → rates: [] → prices: needs rates or periods
  vendor_k/tween → vendor_z/tween → model: vendor_z is not a vendor of vendors.yaml
  model: tween-2\n → model: tween-2\n    adapter: telegraph\n → upstream.adapter: must be one of openai-chat…
  model: tween-2\n → model: tween-2\n    adapter: gemini\n → upstream.adapter: gemini cannot serve this model: one of openai-images, …, queue can
  image-to-video.tween → text-to-video.reel → id: text-to-video.reel is declared twice
  vendor_k/tween → vendor_i/reel → model: vendor_i/reel is already the model of text-to-video.reel
  image-to-video.tween → mind-to-video.tween → id: must be a task, a dot and a slug…
  name: Tween → name: Tween\n  colour: red → colour: is not a known key
    name: Tween\n →  → name is missing
  name: Tween → name: Tween\n  fallbacks: [text-to-video.reel] → …is never used: only chat models have fallbacks
              '9:16 1080p': 1024x1792\n →  → upstream.request.fields[1]: values has nothing for 9:16 1080p
  poll_ms: 3000 → poll_ms: 3000, cancellable: true → generation.cancellable: the adapter cannot cancel
models/images.yaml
  0.003 per image → 5 per 1M tokens → prices.rates[0].price: media is not priced by tokens
  0.003 per image → 1 per second → …: counts duration, which the model does not have
  0.12 per image → 0.12 per video → prices.rates: count different units: image, video
  when: { resolution: 4K } → when: { resolution: 2K } → prices.rates[2]: applies together with rates[1] to resolution 2K
  when: { resolution: 4K } → when: { resolution: [4K, 8K] } → prices.rates[2].when.resolution: does not allow 8K
  when: { resolution: 4K } → when: { size: 4K } → prices.rates[2].when.size: the model has no such parameter
  when: { resolution: 4K } → when: { prompt: 4K } → prices.rates[2].when.prompt: has no list of values…
        - { price: 0.12 per image, when: { resolution: 4K } }\n →  → prices.rates: no rate applies to resolution 4K
  { quality: hd, aspect_ratio: ['16:9', '9:16'] } → { quality: hd, aspect_ratio: 16:9 } → prices.rates: no rate applies to quality hd, aspect_ratio 9:16
parameters/audio.yaml
  duration', minimum: 5 → duration', minimum: -5 → …: counts duration, which must be an integer of at least 0
  maximum: 240, default: 30 → maximum: 240 → prices.rates[0].price: counts duration, which needs a default
  required: [input] → required: [input, pitch] → parameters.required[1]: pitch is not a property
  default: amber → default: tin → parameters.properties.voice.default: violates its own schema: it must be equal…
parameters/images.yaml
  enum: [1K, 2K, 4K], default: 1K → enum: [1K, 2K, 4K] → prices.rates: no rate applies to resolution left out
models/chat-others.yaml
        - { of: output, price: 0.79 per 1M tokens }\n →  → prices.rates: output tokens have no price
  of: cache_read, price: 0.06 → of: input, price: 0.06 → prices.rates[1].of: input has a price already
  0.06 per 1M → 0.60 per 1M → prices.rates: cache_read is more expensive than input
  0.0008 per input image → 0.0008 per second → prices.surcharges[0].price: must be per input image…
    fallbacks: [chat.quill-small] →   routes: [{ upstream: { model: q }, vendor: vendor_d }] → routes[0].vendor: vendor_d already serves the model
    fallbacks: [chat.quill-small] →   routes: [{ upstream: { model: q }, vendor: vendor_g }] → routes[0].upstream.adapter: must be one of openai-chat…
    fallbacks: [chat.quill-small] →   routes: [{ upstream: { model: q }, vendor: vendor_b }] → routes[0].chat.…
    fallbacks: [chat.quill-small] →   routes: [{ upstream: { model: q }, vendor: vendor_e, prices: { rates: [{ of: input, price: 1 per 1M tokens }] } }] → routes[0].prices.rates: output tokens have no price
  context_tokens: 262144 → context_tokens: 8000 → chat.max_output_tokens: exceeds context_tokens
  vision: true → vision: true\n    ignored_parameters: [mood] → chat.ignored_parameters[0]: mood is not a chat parameter
  [chat.quill-small] → [chat.feather] → fallbacks[0]: chat.feather is not in the catalogue
  [chat.quill-small] → [chat.quill] → fallbacks[0]: chat.quill is the model itself
  name: Quill Small → active: false\n  name: Quill Small → fallbacks[0]: chat.quill-small is not active
  model: vendor_d/quill\n → $&  aliases: [vendor_e/ember-coder]\n → aliases[0]: vendor_e/ember-coder also names chat.ember-coder
  model: vendor_d/quill\n → $&  aliases: [writer, chat.quill-small]\n → aliases[1]: chat.quill-small also names chat.quill-small
  created: 2026-03-10 → created: 2026-02-30 → created: is not a day of the calendar
  model: vendor_d/quill\n → $&  aliases: [two words]\n → aliases[0]: must match pattern…
models/chat-vendor-b.yaml
  6.25 per 1M → 4 per 1M → prices.rates: cache_write is cheaper than input
models/chat-vendor-c.yaml
  18 per 1M → 11 per 1M → prices.rates: output is cheaper above 200000 prompt tokens than below
  18 per 1M tokens, above_prompt_tokens: 200000 → 18 per 1M tokens, above_prompt_tokens: 2000000 → prices.rates[5].above_prompt_tokens: no prompt is longer than 1048576
models/reference-to-video.yaml
  15 % → 0 % → prices.discount: must match…
  poll_ms: 2000 → poll_ms: 2000, cancellable: true → generation.cancellable: the adapter cannot cancel
families.yaml
  cache_isolation: session → cache_isolation: salt → chat.cache_isolation: anthropic-messages supports only: session
models/audio.yaml
  { from: duration, to: duration_seconds } → { from: tempo, to: duration_seconds } → upstream.request.fields[0]: the model has no parameter tempo
  { from: duration, to: duration_seconds } → { to: duration_seconds } → upstream.request.fields[0]: needs either from or value
  { from: duration, to: duration_seconds } → { value: 5 } → upstream.request.fields[0]: needs ${'`'}to${'`'}, the place for its value
  { from: duration, to: duration_seconds } → { from: [duration, seed], to: x } → upstream.request.fields[0]: needs ${'`'}values${'`'} for combined parameters
vendors.yaml
  Pine, adapter: queue → Pine, adapter: openai-speech → upstream.queue: openai-speech does not use a queue
  name: Rowan, adapter: openai-chat → name: Rowan → vendor_r: adapter is missing
  name: Alder, → name: Alder, aliases: [openai, vendor_b], → vendor_a.aliases[1]: vendor_b already names vendor_b
`

test.each(rowsOf(edits))('%s: %s → %s has one fault: %s', async (file, from, to, fault) => {
  expect(await faultsOf(file, from, to)).toEqual([like(fault)])
})

/** Edits of what several models share, and one of the faults of each. */
const shared = `
parameters/audio.yaml
  required: [input] → required: [] → prices.rates[0].price: counts input, which must be required
  maxLength: 4096 → longest: 4096 → parameters: strict mode: unknown keyword: "longest"
models/chat-others.yaml
  default_output_tokens: 2048 → default_output_tokens: 20480 → chat.default_output_tokens: exceeds max_output_tokens
  #/openai-chat-compatible → #/gemini → chat.reasoning.carrier: openai-chat supports only: reasoning_effort
  #/openai-chat-compatible → #/gemini → chat: output_limit_field is missing
models/videos.yaml
  from: [aspect_ratio, resolution] → from: aspect_ratio → upstream.request.fields[1]: values has nothing for 16:9
  #/first-and-last-frame → #/middle-frame → $ref: ../parameters/videos.yaml#/middle-frame is not there
models/audio.yaml
  queue: { $ref: '../queues.yaml#/predictions' } → address: https://a.example → upstream: queue is missing
queues.yaml
  /query/video_generation?task_id={id} → /query?task_id={task} → upstream.queue.status.path: contains the unknown placeholder {task}
  , reference: file_id →  → upstream.queue.result: needs ${'`'}reference${'`'}, the source of {reference}
  done: [Success] → done: [] → upstream.queue.status.done: needs at least one status
  id: request_id → id: request id → upstream.queue.id: must match…
families.yaml
  $ref: '#/openai-chat' → $ref: '#/openai-chat-reasoning' → $ref: #/openai-chat-reasoning leads back to itself
vendors.yaml
  vendor_r: → vendor_s: → vendor_r: missing
  vendor_r: → vendor_s: → vendor_s: is not one of the labels vendor_a to vendor_r
`

test.each(rowsOf(shared))('%s: %s → %s has the fault: %s', async (file, from, to, fault) => {
  expect(await faultsOf(file, from, to)).toContainEqual(like(fault))
})

test('a fallback for another task, and an alias under the alias of a vendor', async () => {
  const [otherTask] = await faultsAfter({
    [others]: ['[chat.quill-small]', '[text-to-image.canvas]'],
    [images]: ['text-to-image.canvas', 'text-to-image.canvas'],
  })
  expect(otherTask).toContain('fallbacks[0]: text-to-image.canvas is for text-to-image, not for chat')
  const ambiguous = await faultsAfter({
    'vendors.yaml': ['name: Dogwood,', 'name: Dogwood, aliases: [dog],'],
    [others]: ['model: vendor_e/ember-coder\n', '$&  aliases: [dog/quill]\n'],
  })
  expect(ambiguous).toEqual([
    expect.stringMatching(/chat-others\.yaml:\d+: aliases\[0\]: dog\/quill also names chat\.quill$/),
  ])
})

test('a fault is reported at the line of the invalid part, even if that part is shared', async () => {
  const linesOf = async (file: string, from: string, to: string) =>
    (await faultsAfter({ [file]: [from, to] })).map(line => line.split(': ')[0])
  const lineIn = async (file: string, text: string) => {
    const lines = (await readFile(join(shipped, file), 'utf8')).replaceAll('"', "'").split('\n')
    return `${file}:${lines.findIndex(line => line.includes(text)) + 1}`
  }
  expect(await linesOf(videos, '0.055 per second', 'dear')).toEqual([
    await lineIn(videos, '0.055 per second'),
  ])
  expect(await linesOf(audio, 'default: amber', 'default: tin')).toEqual([
    await lineIn(audio, 'default: amber'),
  ])
  const [broken] = await linesOf(videos, 'tags: [fast]', 'tags: [fast')
  expect(broken).toBe(await lineIn(videos, 'created: 2026-01-27'))
})

test('a name as long as a page, and YAML that contains itself', async () => {
  expect(await faultsOf(others, 'id: chat.quill\n', `id: chat.${'q'.repeat(3_000)}\n`)).toEqual([
    expect.stringMatching('id: must NOT have more than 200 characters'),
  ])
  const looped = await faultsAfter({ [others]: ['tags: [', 'tags: &loop [*loop, '] })
  expect(looped).toContain(`${others}:7: *loop leads back to itself`)
})

test('all faults are reported at once, in the order of the files', async () => {
  const lines = await faultsAfter({
    [videos]: ['0.055 per second', 'dear'],
    'models/audio.yaml': ['0.08 per track', 'cheap'],
    [images]: ['vendor_f/canvas\n', 'nobody/canvas\n'],
  })
  expect(lines.map(line => line.split(':')[0])).toEqual(['models/audio.yaml', images, videos])
})

async function faultsOf(file: string, from: string, to: string): Promise<string[]> {
  const lines = await faultsAfter({ [file]: [unescaped(from), unescaped(to)] })
  return lines.map(line => line.replace(/^[a-z/-]+\.yaml:\d+: /, ''))
}

/** The rows of a table of edits, each with its file. */
function rowsOf(table: string): [file: string, from: string, to: string, fault: string][] {
  let file = ''
  return table.split('\n').flatMap(line => {
    if (!line.startsWith('  ')) file = line
    const [from, to, fault] = line.slice(2).split(' → ')
    return fault === undefined ? [] : [[file, from!, to!, fault]]
  })
}

const unescaped = (text: string) => text.replaceAll('\\n', '\n')

/** Matches a fault; … is any text. */
const like = (fault: string) => {
  const texts = fault.split('…').map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return expect.stringMatching(`^${texts.join('.*')}$`)
}
