import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { perFile } from '../../test/harness/per-file.ts'
import { startReceiver } from './start-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const receiver = perFile(() => startReceiver({ secrets: () => [secret] }))

test('verified and unverified callbacks are listed, and escaped on the page', async () => {
  const body = '{"id":"<b>"}'
  for (const signed of [body, '{}']) {
    const at = new Date()
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', at, signed),
    }
    await fetch(`${receiver.url}/callbacks`, { method: 'POST', headers, body })
  }
  const kept = await fetch(`${receiver.url}/callbacks`)
  const verified = { id: 'msg_1', isVerified: true, body: { id: '<b>' } }
  const invalid = { isVerified: false, fault: 'No matching signature found' }
  expect(await kept.json()).toMatchObject({ data: [verified, invalid] })
  const page = await (await fetch(receiver.url)).text()
  expect(page).toContain('verified')
  expect(page).not.toContain('<b>')
})
