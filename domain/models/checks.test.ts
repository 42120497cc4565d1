import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCatalogue } from './read-catalogue.ts'

const shipped = new URL('../../schema/catalog', import.meta.url).pathname
const audio = 'parameters/audio.yaml'
const images = 'models/images.yaml'
const videos = 'models/videos.yaml'
const others = 'models/chat-others.yaml'

test('a price with an invalid format', async () => {
  const after = (price: string) => faultOf(videos, '0.055 per second', price)
  expect(await after('0.055 a second')).toBe(
    'prices.rates[0].price: "0.055 a second" is not a price: write it like 0.15 per second, or 2.50 per 1M tokens',
  )
  expect(await after('0.055 per minute')).toMatch('prices.rates[0].price: "minute" is not a unit of prices')
  expect(await after('0.055')).toBe('prices.rates[0].price: must be string')
})

test('a price that counts a value without a parameter', async () => {
  const after = (price: string) => faultOf(images, '0.003 per image', price)
  expect(await after('5 per 1M tokens')).toBe('prices.rates[0].price: media is not priced by tokens')
  expect(await after('1 per second')).toBe(
    'prices.rates[0].price: counts duration, which the model does not have',
  )
  expect(await faultOf(audio, "duration', minimum: 5", "duration', minimum: -5")).toBe(
    'prices.rates[0].price: counts duration, which must be an integer of at least 0',
  )
  expect(await faultOf(audio, 'maximum: 240, default: 30', 'maximum: 240')).toBe(
    'prices.rates[0].price: counts duration, which needs a default',
  )
  expect(await faultsOf(audio, 'required: [input]', 'required: []')).toContain(
    'prices.rates[0].price: counts input, which must be required',
  )
})

test('a route to its own vendor, to one without chat, in a format without its flags, or without prices', async () => {
  const after = (route: string) =>
    faultOf(others, '  fallbacks: [chat.quill-small]', `  routes: [{ upstream: { model: q }, ${route} }]`)
  expect(await after('vendor: vendor_d')).toBe('routes[0].vendor: vendor_d already serves the model')
  expect(await after('vendor: vendor_g')).toMatch('routes[0].upstream.adapter: must be one of openai-chat')
  expect(await after('vendor: vendor_b')).toMatch(/^routes\[0\]\.chat\./)
  expect(await after('vendor: vendor_e, prices: { rates: [{ of: input, price: 1 per 1M tokens }] }')).toBe(
    'routes[0].prices.rates: output tokens have no price',
  )
})

test('rates with different units', async () => {
  expect(await faultOf(images, '0.12 per image', '0.12 per video')).toBe(
    'prices.rates: count different units: image, video',
  )
  expect(await faultOf(videos, 'rates:\n      - { price: 0.055 per second }', 'rates: []')).toBe(
    'prices: needs rates or periods',
  )
})

test('a value without a rate, with two rates, or never allowed', async () => {
  const after = (when: string) => faultOf(images, 'when: { resolution: 4K }', `when: { ${when} }`)
  expect(await after('resolution: 2K')).toBe(
    'prices.rates[2]: applies together with rates[1] to resolution 2K',
  )
  expect(await after('resolution: [4K, 8K]')).toBe('prices.rates[2].when.resolution: does not allow 8K')
  expect(await after('size: 4K')).toBe('prices.rates[2].when.size: the model has no such parameter')
  expect(await after('prompt: 4K')).toMatch('prices.rates[2].when.prompt: has no list of values')
  expect(await faultOf(images, '      - { price: 0.12 per image, when: { resolution: 4K } }\n', '')).toBe(
    'prices.rates: no rate applies to resolution 4K',
  )
  expect(
    await faultOf('parameters/images.yaml', 'enum: [1K, 2K, 4K], default: 1K', 'enum: [1K, 2K, 4K]'),
  ).toBe('prices.rates: no rate applies to resolution left out')
  expect(
    await faultOf(
      images,
      "{ quality: hd, aspect_ratio: ['16:9', '9:16'] }",
      '{ quality: hd, aspect_ratio: 16:9 }',
    ),
  ).toBe('prices.rates: no rate applies to quality hd, aspect_ratio 9:16')
})

test('token prices that are missing, double or in the wrong order', async () => {
  const above = '18 per 1M tokens, above_prompt_tokens:'
  expect(await faultOf(others, '      - { of: output, price: 0.79 per 1M tokens }\n', '')).toBe(
    'prices.rates: output tokens have no price',
  )
  expect(await faultOf(others, 'of: cache_read, price: 0.06', 'of: input, price: 0.06')).toBe(
    'prices.rates[1].of: input has a price already',
  )
  expect(await faultOf(others, '0.06 per 1M', '0.60 per 1M')).toBe(
    'prices.rates: cache_read is more expensive than input',
  )
  expect(await faultOf('models/chat-vendor-b.yaml', '6.25 per 1M', '4 per 1M')).toBe(
    'prices.rates: cache_write is cheaper than input',
  )
  expect(await faultOf('models/chat-vendor-c.yaml', '18 per 1M', '11 per 1M')).toBe(
    'prices.rates: output is cheaper above 200000 prompt tokens than below',
  )
  expect(await faultOf('models/chat-vendor-c.yaml', `${above} 200000`, `${above} 2000000`)).toBe(
    'prices.rates[5].above_prompt_tokens: no prompt is longer than 1048576',
  )
  expect(await faultOf(others, '0.0008 per input image', '0.0008 per second')).toMatch(
    'prices.surcharges[0].price: must be per input image',
  )
  expect(await faultOf('models/reference-to-video.yaml', '15 %', '0 %')).toMatch(
    'prices.discount: must match',
  )
})

test('chat flags that contradict each other, the wire format or the parameters', async () => {
  expect(await faultsOf(others, 'default_output_tokens: 2048', 'default_output_tokens: 20480')).toContain(
    'chat.default_output_tokens: exceeds max_output_tokens',
  )
  expect(await faultOf(others, 'context_tokens: 262144', 'context_tokens: 8000')).toBe(
    'chat.max_output_tokens: exceeds context_tokens',
  )
  expect(await faultsOf(others, '#/openai-chat-compatible', '#/gemini')).toEqual([
    'chat.reasoning.carrier: openai-chat supports only: reasoning_effort',
    'chat: output_limit_field is missing',
  ])
  expect(await faultOf('families.yaml', 'cache_isolation: session', 'cache_isolation: salt')).toBe(
    'chat.cache_isolation: anthropic-messages supports only: session',
  )
  expect(await faultOf(others, 'vision: true', 'vision: true\n    ignored_parameters: [mood]')).toBe(
    'chat.ignored_parameters[0]: mood is not a chat parameter',
  )
})

test('unknown and duplicate names', async () => {
  expect(await faultOf(videos, 'vendor_k/tween', 'vendor_z/tween')).toBe(
    'model: vendor_z is not a vendor of vendors.yaml',
  )
  expect(await faultOf(videos, 'model: tween-2\n', 'model: tween-2\n    adapter: telegraph\n')).toMatch(
    'upstream.adapter: must be one of openai-chat',
  )
  expect(await faultOf(videos, 'model: tween-2\n', 'model: tween-2\n    adapter: gemini\n')).toBe(
    'upstream.adapter: gemini cannot serve this model: one of openai-images, openai-videos, openai-speech, gemini-images, google-operations, queue can',
  )
  expect(await faultOf(videos, 'image-to-video.tween', 'text-to-video.reel')).toBe(
    'id: text-to-video.reel is declared twice',
  )
  expect(await faultOf(videos, 'vendor_k/tween', 'vendor_i/reel')).toBe(
    'model: vendor_i/reel is already the model of text-to-video.reel',
  )
  expect(await faultOf(videos, 'image-to-video.tween', 'mind-to-video.tween')).toMatch(
    'id: must be a task, a dot and a slug',
  )
  expect(await faultOf(videos, 'name: Tween', 'name: Tween\n  colour: red')).toBe(
    'colour: is not a known key',
  )
  expect(await faultOf(videos, '  name: Tween\n', '')).toBe('name is missing')
})

test('invalid fallbacks', async () => {
  const after = (id: string) => faultOf(others, '[chat.quill-small]', `[${id}]`)
  expect(await after('chat.feather')).toBe('fallbacks[0]: chat.feather is not in the catalogue')
  expect(await after('chat.quill')).toBe('fallbacks[0]: chat.quill is the model itself')
  const [otherTask] = await linesAfter({
    [others]: ['[chat.quill-small]', '[text-to-image.canvas]'],
    [images]: ['text-to-image.canvas', 'text-to-image.canvas'],
  })
  expect(otherTask).toContain('fallbacks[0]: text-to-image.canvas is for text-to-image, not for chat')
  expect(await faultOf(videos, 'name: Tween', 'name: Tween\n  fallbacks: [text-to-video.reel]')).toBe(
    'fallbacks[0]: text-to-video.reel is never used: only chat models have fallbacks',
  )
  expect(await faultOf(others, 'name: Quill Small', 'active: false\n  name: Quill Small')).toBe(
    'fallbacks[0]: chat.quill-small is not active',
  )
})

test('media calls that are impossible, or do not match the parameters', async () => {
  const queues = 'queues.yaml'
  const rule = '{ from: duration, to: duration_seconds }'
  const afterRule = (changed: string) => faultOf(models, rule, changed)
  const models = 'models/audio.yaml'
  expect(await afterRule('{ from: tempo, to: duration_seconds }')).toBe(
    'upstream.request.fields[0]: the model has no parameter tempo',
  )
  expect(await afterRule('{ to: duration_seconds }')).toBe(
    'upstream.request.fields[0]: needs either from or value',
  )
  expect(await afterRule('{ value: 5 }')).toBe(
    'upstream.request.fields[0]: needs `to`, the place for its value',
  )
  expect(await afterRule('{ from: [duration, seed], to: x }')).toBe(
    'upstream.request.fields[0]: needs `values` for combined parameters',
  )
  expect(await faultsOf(videos, 'from: [aspect_ratio, resolution]', 'from: aspect_ratio')).toContain(
    'upstream.request.fields[1]: values has nothing for 16:9',
  )
  expect(await faultOf(videos, "            '9:16 1080p': 1024x1792\n", '')).toBe(
    'upstream.request.fields[1]: values has nothing for 9:16 1080p',
  )
  expect(
    await faultsOf(models, "queue: { $ref: '../queues.yaml#/predictions' }", 'address: https://a.example'),
  ).toContain('upstream: queue is missing')
  expect(await faultsOf('vendors.yaml', 'Pine, adapter: queue', 'Pine, adapter: openai-speech')).toEqual([
    'upstream.queue: openai-speech does not use a queue',
  ])
  expect(await faultsOf(queues, '/query/video_generation?task_id={id}', '/query?task_id={task}')).toContain(
    'upstream.queue.status.path: contains the unknown placeholder {task}',
  )
  expect(await faultsOf(queues, ', reference: file_id', '')).toContain(
    'upstream.queue.result: needs `reference`, the source of {reference}',
  )
  expect(await faultsOf(queues, 'done: [Success]', 'done: []')).toContain(
    'upstream.queue.status.done: needs at least one status',
  )
  expect(
    await faultsOf('models/reference-to-video.yaml', 'poll_ms: 2000', 'poll_ms: 2000, cancellable: true'),
  ).toEqual(['generation.cancellable: the adapter cannot cancel'])
  expect(await faultOf('models/videos.yaml', 'poll_ms: 3000', 'poll_ms: 3000, cancellable: true')).toBe(
    'generation.cancellable: the adapter cannot cancel',
  )
  expect(await faultsOf(queues, 'id: request_id', 'id: request id')).toContainEqual(
    expect.stringMatching(/^upstream.queue.id: must match/),
  )
})

test('parameters without a strict schema, or with invalid defaults', async () => {
  expect(await faultsOf(audio, 'maxLength: 4096', 'longest: 4096')).toEqual([
    'parameters: strict mode: unknown keyword: "longest"',
    'parameters: strict mode: unknown keyword: "longest"',
  ])
  expect(await faultOf(audio, 'required: [input]', 'required: [input, pitch]')).toBe(
    'parameters.required[1]: pitch is not a property',
  )
  expect(await faultOf(audio, 'default: amber', 'default: tin')).toBe(
    'parameters.properties.voice.default: violates its own schema: it must be equal to one of the allowed values',
  )
})

test('missing and circular references', async () => {
  expect(await faultsOf(videos, '#/first-and-last-frame', '#/middle-frame')).toContain(
    '$ref: ../parameters/videos.yaml#/middle-frame is not there',
  )
  expect(
    await faultsOf('families.yaml', "$ref: '#/openai-chat'", "$ref: '#/openai-chat-reasoning'"),
  ).toContain('$ref: #/openai-chat-reasoning leads back to itself')
})

test('missing, unknown and incomplete vendors', async () => {
  expect(await faultsOf('vendors.yaml', 'vendor_r:', 'vendor_s:')).toEqual([
    'vendor_r: missing',
    'vendor_s: is not one of the labels vendor_a to vendor_r',
  ])
  expect(await faultOf('vendors.yaml', 'name: Rowan, adapter: openai-chat', 'name: Rowan')).toBe(
    'vendor_r: adapter is missing',
  )
})

test('a fault is reported at the line of the invalid part, even if that part is shared', async () => {
  const linesOf = async (file: string, from: string, to: string) =>
    (await linesAfter({ [file]: [from, to] })).map(line => line.split(': ')[0])
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

test('an ambiguous alias', async () => {
  const named = (alias: string) => faultOf(others, 'model: vendor_d/quill\n', `$&  aliases: [${alias}]\n`)
  expect(await named('vendor_e/ember-coder')).toBe(
    'aliases[0]: vendor_e/ember-coder also names chat.ember-coder',
  )
  expect(await named('writer, chat.quill-small')).toBe(
    'aliases[1]: chat.quill-small also names chat.quill-small',
  )
  expect(await named('two words')).toMatch(/^aliases\[0\]: must match pattern/)
  const vendors = (aliases: string) =>
    linesAfter({ 'vendors.yaml': ['name: Alder,', `name: Alder, aliases: [${aliases}],`] })
  expect(await vendors('openai, vendor_b')).toEqual([
    'vendors.yaml:4: vendor_a.aliases[1]: vendor_b already names vendor_b',
  ])
  const ambiguous = await linesAfter({
    'vendors.yaml': ['name: Dogwood,', 'name: Dogwood, aliases: [dog],'],
    [others]: ['model: vendor_e/ember-coder\n', '$&  aliases: [dog/quill]\n'],
  })
  expect(ambiguous).toEqual([
    expect.stringMatching(/chat-others\.yaml:\d+: aliases\[0\]: dog\/quill also names chat\.quill$/),
  ])
})

test('a day that does not exist, and names as long as a page', async () => {
  expect(await faultOf(others, 'created: 2026-03-10', 'created: 2026-02-30')).toBe(
    'created: is not a day of the calendar',
  )
  expect(await faultOf(others, 'id: chat.quill\n', `id: chat.${'q'.repeat(3_000)}\n`)).toMatch(
    'id: must NOT have more than 200 characters',
  )
})

test('YAML that contains itself', async () => {
  expect(await linesAfter({ [others]: ['tags: [', 'tags: &loop [*loop, '] })).toContain(
    `${others}:7: *loop leads back to itself`,
  )
})

test('all faults are reported at once, in the order of the files', async () => {
  const lines = await linesAfter({
    [videos]: ['0.055 per second', 'dear'],
    'models/audio.yaml': ['0.08 per track', 'cheap'],
    [images]: ['vendor_f/canvas\n', 'nobody/canvas\n'],
  })
  expect(lines.map(line => line.split(':')[0])).toEqual(['models/audio.yaml', images, videos])
})

/** Returns the single fault of an edited catalogue, without its place. */
async function faultOf(file: string, from: string, to: string): Promise<string | undefined> {
  const faults = await faultsOf(file, from, to)
  expect(faults).toHaveLength(1)
  return faults[0]
}

async function faultsOf(file: string, from: string, to: string): Promise<string[]> {
  const lines = await linesAfter({ [file]: [from, to] })
  return lines.map(line => line.replace(/^[a-z/-]+\.yaml:\d+: /, ''))
}

/**
 * Returns the faults of a copy of the shipped catalogue in which the first `from` of each file is replaced by `to`.
 * If these are files of models, the other model files are left out to save time.
 */
async function linesAfter(edits: Record<string, [from: string, to: string]>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const files = Object.keys(edits).filter(file => file.startsWith('models/'))
  const isRead = (path: string) =>
    files.length === 0 || !path.includes('/models/') || files.some(file => path.endsWith(file))
  await cp(shipped, folder, { recursive: true, filter: isRead })
  for (const [file, [from, to]] of Object.entries(edits)) {
    const path = join(folder, file)
    const text = (await readFile(path, 'utf8')).replaceAll('"', "'")
    expect(text).toContain(from)
    await writeFile(path, text.replace(from, to))
  }
  return readCatalogue(folder).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  )
}
