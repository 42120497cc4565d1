import { expect, it } from 'vitest'
import { printed } from '../../test/conversations/printed.ts'
import { aChatCall, noServices } from '../../test/harness/a-chat-call.ts'
import { openaiChat } from '../formats/openai-chat/adapter.ts'
import { onAzure } from './azure.ts'

const config = { endpoint: 'https://us.openai.azure.com', deployment: 'ours' }
const target = { vendor: 'vendor_a', baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-own', config }

it('carries the key as api-key to a deployment, which the body names', async () => {
  const call = aChatCall({ model: 'vendor_a/atlas' })
  const { headers, body } = await onAzure(openaiChat, 'chat/completions').buildRequest(
    call,
    target,
    noServices,
  )
  expect(headers).toMatchObject({ 'api-key': 'sk-own' })
  expect(headers).not.toHaveProperty('authorization')
  expect(JSON.parse(printed(body))).toMatchObject({ model: 'ours' })
})

it('passes on the service tier that a stream reports', () => {
  const translator = onAzure(openaiChat, 'chat/completions').openTranslator(
    aChatCall({ model: 'vendor_a/atlas', stream: true }),
    target,
  )
  const data = JSON.stringify({ service_tier: 'default', choices: [{ index: 0, delta: { content: 'Hi' } }] })
  translator.read({ event: undefined, data })
  expect(translator.serviceTier).toBe('default')
})
