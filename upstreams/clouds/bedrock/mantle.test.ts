import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { type RunningSimulator, startSimulator } from '../../../simulators/vendors/start-simulator.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { aRefusal } from '../../../test/harness/a-refusal.ts'
import { anthropicMessages } from '../../formats/anthropic-messages/adapter.ts'
import { buildRequest } from '../../formats/anthropic-messages/build-request.ts'
import { openSseReader } from '../../http/sse-reader.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator()
})
afterAll(() => simulator.close())

const mantle = {
  vendor: 'vendor_b',
  baseUrl: 'https://bedrock-mantle.us-east-1.api.aws/anthropic',
  apiKey: 'sim-bedrock-key',
  config: { region: 'us-east-1' },
}
const runtime = { ...mantle, baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic' }
const properties = { city: { type: 'string' }, days: { type: 'integer' } }
const schema = { type: 'object', properties, required: ['city', 'days'], additionalProperties: false }
const response_format = { type: 'json_schema', json_schema: { name: 'trip', schema } }
const tools = [{ type: 'function', function: { name: 'now' } }]

const aCall = (fields: Partial<ChatRequest>) => aChatCall({ model: 'vendor_b/lyric', ...fields })

/** Sends to the simulator what would go to the real address. */
async function send(fields: Partial<ChatRequest>): Promise<Response> {
  const { path, headers, body } = await buildRequest(aCall(fields), mantle)
  return fetch(`${simulator.url}/bedrock/mantle${path}`, { method: 'POST', headers, body })
}

describe('row 25: a schema, at the endpoint of Bedrock that knows none', () => {
  it('is the argument of a tool that must be called, for a recent model too', async () => {
    const { body } = await buildRequest(aCall({ response_format }), mantle)
    const sent = JSON.parse(body)
    expect(sent).not.toHaveProperty('output_config.format')
    expect(sent).toMatchObject({
      tools: [{ name: 'give_answer', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'give_answer' },
    })
  })

  it('is kept, and the answer is text: whole', async () => {
    const response = await send({ response_format })
    expect(response.status).toBe(200)
    const { completion } = anthropicMessages.readAnswer(
      Buffer.from(await response.arrayBuffer()),
      aCall({ response_format }),
      mantle,
    )
    const [choice] = completion.choices
    expect(choice).toMatchObject({ finish_reason: 'stop' })
    expect(choice?.message).not.toHaveProperty('tool_calls')
    expect(JSON.parse(choice?.message.content ?? '')).toEqual({
      city: expect.any(String),
      days: expect.any(Number),
    })
  })

  it('is kept, and the answer is text: streamed', async () => {
    const asked = { response_format, stream: true }
    const translator = anthropicMessages.openTranslator(aCall(asked), mantle)
    const events = openSseReader().push(Buffer.from(await (await send(asked)).arrayBuffer()))
    const choices = [...events.flatMap(event => translator.read(event)), ...translator.end()].flatMap(
      chunk => chunk.choices,
    )
    expect(JSON.parse(choices.map(({ delta }) => delta.content ?? '').join(''))).toHaveProperty('city')
    expect(choices.every(({ delta }) => !delta.tool_calls)).toBe(true)
    expect(choices.at(-1)?.finish_reason).toBe('stop')
  })

  it('leaves no room for other tools: refused by name; a JSON object does not', async () => {
    expect(await aRefusal(() => buildRequest(aCall({ response_format, tools }), mantle))).toEqual({
      problem: 'unsupported_parameter',
      param: 'response_format',
    })
    expect((await send({ response_format: { type: 'json_object' }, tools })).status).toBe(200)
  })

  it('goes as it is through the other endpoint', async () => {
    const { body } = await buildRequest(aCall({ response_format, tools }), runtime)
    expect(JSON.parse(body)).toMatchObject({ output_config: { format: { type: 'json_schema' } } })
  })
})
