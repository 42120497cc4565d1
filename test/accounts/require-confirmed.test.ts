import { expect, test } from 'vitest'
import { announceConfirmation } from '../../domain/accounts/confirm-email.ts'
import { aMember, anAccount, anApiKey } from '../harness/an-account.ts'
import { anEdgeSystem } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(() => anEdgeSystem({ REQUIRE_CONFIRMED_EMAIL: 'true' }))

test('where the operator requires it, an account spends only after its address is confirmed', async () => {
  const { sql } = system.context
  const { accountId } = await anAccount(system.context)
  const key = await anApiKey(system.context, { accountId })
  const { userId } = await aMember(system.context, { accountId })
  const submit = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key.text}`, 'content-type': 'application/json' }
    const answer = await fetch(system.baseURL + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { error } = await answer.json()
    return [answer.status, error?.code]
  }
  const chat = () =>
    submit('/chat/completions', { model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hello' }] })
  const refused = [403, 'email_not_confirmed']
  expect(await chat()).toEqual(refused)
  expect(await submit('/images/generations', { model: 'vendor_f/canvas', prompt: 'a cat' })).toEqual(refused)
  expect(await submit('/videos/generations', { model: 'vendor_i/reel', prompt: 'a cat' })).toEqual(refused)
  expect([...(await sql`select 1 from holds where account_id = ${accountId}`)]).toEqual([])

  await sql`update users set email_confirmed_at = now() where id = ${userId}`
  await announceConfirmation(system.context, { userId })
  expect(await chat()).toEqual([200, undefined])
})
