import { describe, expect, it } from 'vitest'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import { printed } from '../../../test/conversations/printed.ts'
import { aChatCall } from '../../../test/harness/a-chat-call.ts'
import { aRefusal } from '../../../test/harness/a-refusal.ts'
import { buildRequest } from './adapter.ts'

const atlas = 'vendor_a/atlas'
const thinker = 'vendor_a/atlas-thinker'
const target = { vendor: 'vendor_a', baseUrl: 'https://vendor.example/v1', apiKey: 'key' }

interface Settings {
  flags?: Partial<ChatFlags>
  byokId?: string
}

/** The body that the vendor gets. */
function bodyOf(fields: object, { flags, byokId }: Settings = {}) {
  const call = aChatCall({ model: atlas, ...fields })
  const entry = { ...call.entry, chat: { ...call.entry.chat, ...flags } }
  return JSON.parse(printed(buildRequest({ ...call, entry }, { ...target, byokId }).body))
}

const refusalOf = (fields: object, settings?: Settings) => aRefusal(() => bodyOf(fields, settings))
const unsupported = (param: string) => ({ problem: 'unsupported_parameter', param })

describe('stop', () => {
  it.each([[null], [''], [['']], [[]]])('%j is none', stop =>
    expect(bodyOf({ stop })).not.toHaveProperty('stop'),
  )

  it.each([
    ['END', ['END']],
    [
      ['a', '', 'b'],
      ['a', 'b'],
    ],
    [
      ['1', '2', '3', '4', ''],
      ['1', '2', '3', '4'],
    ],
  ])('%j goes as %j', (stop, sent) => expect(bodyOf({ stop }).stop).toEqual(sent))
})

it('the limit of the answer: always goes, under the one name that the model takes', () => {
  for (const fields of [{}, { max_tokens: 7 }, { max_completion_tokens: 7 }]) {
    expect(bodyOf(fields)).toHaveProperty('max_tokens')
    expect(bodyOf(fields)).not.toHaveProperty('max_completion_tokens')
    expect(bodyOf({ ...fields, model: thinker })).toHaveProperty('max_completion_tokens')
    expect(bodyOf({ ...fields, model: thinker })).not.toHaveProperty('max_tokens')
  }
})

it('n goes, as far as the model gives so many', async () => {
  expect(bodyOf({ n: 10 })).toMatchObject({ n: 10 })
  expect(await refusalOf({ n: 11 })).toEqual(unsupported('n'))
  expect(await refusalOf({ model: thinker, n: 2 })).toEqual(unsupported('n'))
  expect(bodyOf({ model: thinker, n: 1 })).toMatchObject({ n: 1 })
})

it('logprobs are refused by name for one that does not', async () => {
  expect(await refusalOf({ model: thinker, logprobs: true })).toEqual(unsupported('logprobs'))
  expect(await refusalOf({ model: thinker, top_logprobs: 3 })).toEqual(unsupported('top_logprobs'))
  expect(bodyOf({ model: thinker, logprobs: false })).not.toHaveProperty('logprobs')
})

describe('sampling', () => {
  it('is dropped for models that think first, and so are the penalties', () => {
    const sampling = { temperature: 0.5, top_p: 0.9, presence_penalty: 1, frequency_penalty: 1 }
    expect(bodyOf(sampling)).toMatchObject(sampling)
    const body = bodyOf({ ...sampling, model: thinker })
    for (const name in sampling) expect(body).not.toHaveProperty(name)
  })

  it('is no hotter than the model takes', () => {
    expect(bodyOf({ temperature: 1.9 }, { flags: { max_temperature: 1.5 } })).toMatchObject({
      temperature: 1.5,
    })
    expect(bodyOf({ temperature: 0 })).toMatchObject({ temperature: 0 })
  })
})

describe('JSON', () => {
  const schema = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema: { type: 'object' } } }

  it.each([{ type: 'text' }, { type: 'json_object' }, schema])('%j goes as it came', response_format =>
    expect(bodyOf({ response_format })).toMatchObject({ response_format }),
  )

  it('is requested by an instruction, where the model has no mode for it', () => {
    const json = { object: 'instruction', schema: 'none', with_tools: true } as const
    const { response_format, messages } = bodyOf(
      { response_format: { type: 'json_object' } },
      { flags: { json } },
    )
    expect(response_format).toBeUndefined()
    expect(messages.at(-1)).toMatchObject({ role: 'system', content: expect.stringContaining('JSON object') })
  })

  it('after a schema is refused where it would need a tool, which this format has no way for', async () => {
    const json = { object: 'native', schema: 'tool', with_tools: true } as const
    expect(await refusalOf({ response_format: schema }, { flags: { json } })).toEqual(
      unsupported('response_format'),
    )
  })
})

it("reasoning_effort is the value of the model's table", () => {
  expect(bodyOf({ model: thinker, reasoning_effort: 'high' })).toMatchObject({ reasoning_effort: 'high' })
  const reasoning = { carrier: 'reasoning_effort', efforts: { low: 'brief' }, signatures: false } as const
  expect(bodyOf({ reasoning_effort: 'low' }, { flags: { reasoning } })).toMatchObject({
    reasoning_effort: 'brief',
  })
})

describe('stream_options', () => {
  it.each([{ include_usage: true }, {}, null])('%j do not go without a stream', stream_options => {
    expect(bodyOf({ stream_options })).not.toHaveProperty('stream_options')
    expect(bodyOf({ stream: false, stream_options })).not.toHaveProperty('stream_options')
  })

  it('always ask for the usage of a stream, which is charged', () => {
    const body = bodyOf({
      stream: true,
      stream_options: { include_usage: false, include_obfuscation: false },
    })
    expect(body.stream_options).toEqual({ include_usage: true, include_obfuscation: false })
    expect(bodyOf({ stream: true }).stream_options).toEqual({ include_usage: true })
  })
})

describe('what is only for vendor_a', () => {
  it('goes to it', () => {
    const fields = { user: 'ann', safety_identifier: 'a', store: false, verbosity: 'low', made_up: [1] }
    expect(bodyOf(fields)).toMatchObject(fields)
  })

  it('metadata only beside store: true, without which the vendor refuses it', () => {
    const metadata = { purpose: 'test' }
    expect(bodyOf({ metadata, store: true })).toMatchObject({ metadata, store: true })
    for (const store of [undefined, null, false]) {
      expect(bodyOf({ metadata, store })).not.toHaveProperty('metadata')
    }
  })

  it("a tier only with a customer's own credential: with the platform's the standard one goes without saying", () => {
    expect(bodyOf({ service_tier: 'auto' })).not.toHaveProperty('service_tier')
    expect(bodyOf({ service_tier: 'priority' }, { byokId: 'own' })).toMatchObject({
      service_tier: 'priority',
    })
  })

  it('thinking, a field of the Messages format, is dropped', () => {
    expect(bodyOf({ thinking: { type: 'adaptive' } })).not.toHaveProperty('thinking')
  })
})
