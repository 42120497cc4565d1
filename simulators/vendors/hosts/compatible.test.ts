import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../server/json.ts'
import { writeWords } from '../model/text.ts'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
  return () => simulator.close()
})
afterEach(() => simulator.reset())

const salt = '<!-- cache partition x -->'
const hello: Json = { role: 'user', content: 'Hello' }
const system = (content: Json): Json => ({ role: 'system', content })
const tool = (details: Json): Json => [{ type: 'function', function: details }]

async function send(fields: Record<string, Json>, key = 'sim-platform-key') {
  const response = await fetch(`${simulator.url}/compatible/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'quill', messages: [hello], ...fields }),
  })
  return { status: response.status, body: await response.json() }
}

describe('another vendor of the format', () => {
  it('answers as OpenAI does, and refuses what it would refuse', async () => {
    expect(await send({})).toMatchObject({ status: 200, body: { object: 'chat.completion' } })
    expect(await send({ temperature: 3 })).toMatchObject({ status: 400 })
    expect(await send({}, 'sim-bad')).toMatchObject({ status: 401 })
  })

  it.each<[string, Json]>([
    ['prompt_cache_key', 'k'],
    ['user', 'ann'],
    ['store', true],
    ['service_tier', 'auto'],
  ])('knows nothing of %s', async (name, value) =>
    expect(await send({ [name]: value })).toMatchObject({ status: 400, body: { error: { param: name } } }),
  )

  it('shares cached beginnings among all users of a key', async () => {
    const messages = [system(writeWords(2_000, 1)), hello]
    await send({ messages })
    const { body } = await send({ messages })
    expect(body.usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(1_024)
  })
})

describe('the salt', () => {
  const salted = [system(`${salt}\nBe kind.`), hello]
  const wrongs: [what: string, fields: Record<string, Json>][] = [
    ['missing', { messages: [hello] }],
    ['of the user', { messages: [{ role: 'user', content: salt }] }],
    ['after other text', { messages: [system(`Be kind. ${salt}`), hello] }],
    ['in a later message', { messages: [hello, system(salt)] }],
    ['there twice', { messages: [system(`${salt}${salt}`), hello] }],
    ['missing from the tools', { messages: salted, tools: tool({ name: 'f', description: 'Does it.' }) }],
    [
      'behind the parameters of a tool',
      { messages: salted, tools: tool({ name: 'f', parameters: { type: 'object' }, description: salt }) },
    ],
  ]

  it.each(wrongs)('is looked for where a setting says so: %s is refused', async (_what, fields) => {
    expect((await send(fields)).status).toBe(200)
    simulator.change({ requireSalt: true })
    expect(await send(fields)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('salt') } },
    })
  })

  it('is found before the system and before the tools', async () => {
    simulator.change({ requireSalt: true })
    const parts = [
      system([
        { type: 'text', text: salt },
        { type: 'text', text: 'Be kind.' },
      ]),
      hello,
    ]
    const tools = tool({ name: 'f', description: `${salt}\nDoes it.` })
    for (const messages of [salted, parts, [system(salt), hello]]) {
      expect((await send({ messages, tools })).status).toBe(200)
    }
  })
})
