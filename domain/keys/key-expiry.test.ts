import { afterAll, beforeAll, expect, test } from 'vitest'
import { aManagedSystem, type ManagedSystem } from '../../test/harness/a-management-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { authenticateCaller } from '../callers/authenticate-caller.ts'
import { identify, requireUsable } from '../inference/identify.ts'
import { closeInference, openInference } from '../inference/open-inference.ts'
import { parseKeyText } from './key-text.ts'

let system: ManagedSystem
beforeAll(async () => {
  system = await aManagedSystem()
})
afterAll(() => system.close())

const hourMs = 3_600_000
const clientAddress = '192.0.2.1'

/** A key that expires in so many milliseconds, and how it fares where the wall clock is so far ahead. */
async function fares(expiresInMs: number, aheadMs: number): Promise<[edge: string, management: string]> {
  const { accountId } = await anAccount(system.context)
  const { text } = await anApiKey(system.context, {
    accountId,
    expiresAt: new Date(Date.now() + expiresInMs),
  })
  const clock = { ...system.context.clock, now: () => Date.now() + aheadMs }
  const inference = await openInference({ ...system.context, clock }, { kind: 'test' })
  const told = async (asked: Promise<unknown>) =>
    asked.then(
      () => 'may',
      error => error.errorName,
    )
  try {
    const authorization = `Bearer ${text}`
    const management = { ...system.management(), clock }
    return [
      await told(identify(inference, { authorization, clientAddress })),
      await told(authenticateCaller(management, { authorization: [authorization], address: clientAddress })),
    ]
  } finally {
    await closeInference(inference)
  }
}

test("whether a key has expired is Postgres' to say, however a process's own clock is set", async () => {
  expect(await fares(hourMs / 2, hourMs)).toEqual(['may', 'may'])
  expect(await fares(-hourMs / 2, -hourMs)).toEqual(['key_expired', 'key_expired'])
})

test('a copy of a key expires while it is kept, by time that passes', async () => {
  const { accountId } = await anAccount(system.context)
  const key = await anApiKey(system.context, { accountId, expiresAt: new Date(Date.now() + hourMs) })
  const inference = await openInference(system.context, { kind: 'test' })
  const copy = (await inference.keys.read(parseKeyText(key.text)!.publicId))!
  await closeInference(inference)
  const now = system.context.clock.monotonic()
  expect(() => requireUsable(copy, { now: now + hourMs - 10_000, clientAddress })).not.toThrow()
  expect(() => requireUsable(copy, { now: now + hourMs + 10_000, clientAddress })).toThrow('expired')
})
