import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { perFile } from '../../test/harness/per-file.ts'
import { startReceiver } from './start-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const receiver = perFile(() => startReceiver({ secrets: () => [secret] }))

const body = '{"id":"<b>"}'

function send(path: string, { signed = body } = {}): Promise<Response> {
  const at = new Date()
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, signed),
  }
  return fetch(receiver.url + path, { method: 'POST', headers, body, redirect: 'manual' })
}

test('verified and unverified callbacks are stored and listed', async () => {
  expect((await send('/callbacks')).status).toBe(204)
  expect((await send('/callbacks', { signed: '{}' })).status).toBe(204)
  const kept = await fetch(`${receiver.url}/callbacks`).then(response => response.json())
  expect(kept.data.slice(-2)).toMatchObject([
    { id: 'msg_1', isVerified: true, body: { id: '<b>' } },
    { isVerified: false, fault: 'No matching signature found' },
  ])
  const page = await fetch(receiver.url).then(response => response.text())
  expect(page).toContain('verified')
  expect(page).not.toContain('<b>')
})

test('the path or a setting determines the answer', async () => {
  expect((await send('/status/503')).status).toBe(503)
  expect((await send('/redirect')).status).toBe(302)
  const startedAt = performance.now()
  expect((await send('/delay/60')).status).toBe(204)
  expect(performance.now() - startedAt).toBeGreaterThan(50)
  receiver.change({ answerStatus: 500 })
  expect((await send('/callbacks')).status).toBe(500)
  expect((await fetch(`${receiver.url}/elsewhere`)).status).toBe(404)
})
