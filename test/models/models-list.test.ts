import Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { theCustomer } from '../clients/the-customer.ts'

const { system, client } = theCustomer()

test('models are listed with their limits and prices beside the fields of OpenAI', async () => {
  const { data } = await client.openai.models.list()
  expect(data.length).toBeGreaterThan(20)
  expect(data.find(({ id }) => id === 'vendor_b/lyric')).toEqual({
    id: 'vendor_b/lyric',
    object: 'model',
    created: expect.any(Number),
    owned_by: 'vendor_b',
    aliases: [],
    name: 'Lyric',
    description: expect.any(String),
    modality: 'chat',
    context_length: 1_000_000,
    max_output_tokens: 64_000,
    pricing: {
      currency: 'USD',
      unit: '1M tokens',
      rates: expect.arrayContaining([expect.objectContaining({ of: 'output', price: 15 })]),
      periods: [],
      surcharges: [],
      service_tiers: [],
      routes: [],
      discount: null,
      cache: { read: 0.3, write: 3.75, minimum_tokens: 1_024 },
    },
  })
  const media = data.filter(model => 'modality' in model && model.modality === 'video')
  expect(media[0]).toMatchObject({
    context_length: null,
    max_output_tokens: null,
    pricing: { currency: 'USD' },
  })
  expect(await client.openai.models.retrieve('vendor_b/lyric')).toEqual(
    data.find(({ id }) => id === 'vendor_b/lyric'),
  )
})

test('clients of the Messages protocol list the chat models in their shape, page by page', async () => {
  const anthropic = new Anthropic({ apiKey: client.text, baseURL: system.edge.url, maxRetries: 0 })
  const paged: Anthropic.ModelInfo[] = []
  for await (const model of anthropic.models.list({ limit: 3 })) paged.push(model)
  const { data, has_more, first_id, last_id } = await anthropic.models.list()
  expect(paged).toEqual(data)
  expect([has_more, first_id, last_id]).toEqual([false, data[0]?.id, data.at(-1)?.id])
  const lyric = data.find(({ id }) => id === 'vendor_b/lyric')
  expect(lyric).toMatchObject({
    type: 'model',
    display_name: 'Lyric',
    created_at: expect.stringMatching(/T.*Z$/),
    max_input_tokens: 1_000_000,
    max_tokens: 64_000,
  })
  expect(await anthropic.models.retrieve('vendor_b/lyric')).toEqual(lyric)
  const before = await anthropic.models.list({ limit: 2, before_id: data[4]!.id })
  expect(before.data.map(({ id }) => id)).toEqual([data[2]?.id, data[3]?.id])
  const failing = anthropic.models.list({ limit: 0 })
  await expect(failing).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' })
})
