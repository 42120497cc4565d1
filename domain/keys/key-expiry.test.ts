import { expect, test } from 'vitest'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { authenticateCaller } from '../callers/authenticate-caller.ts'
import { openCommitter } from '../committer/open-committer.ts'
import { identify, requireUsable } from '../inference/identify.ts'
import { closeInference, openInference } from '../inference/open-inference.ts'
import { parseKeyText } from './key-text.ts'

const system = perFile(aManagedSystem)

const hourMs = 3_600_000
const clientAddress = '192.0.2.1'

/** Uses a key that expires in `expiresInMs`, where this process's wall clock is ahead by `aheadMs`. */
async function useKey(expiresInMs: number, aheadMs: number): Promise<[edge: string, management: string]> {
  const { accountId } = await anAccount(system.context)
  const { text } = await anApiKey(system.context, {
    accountId,
    expiresAt: new Date(Date.now() + expiresInMs),
  })
  const clock = { ...system.context.clock, now: () => Date.now() + aheadMs }
  const inference = await openInference(
    { ...system.context, clock },
    await openCommitter({ ...system.context, clock }, { kind: 'test' }),
  )
  const outcomeOf = (use: () => unknown) =>
    new Promise(resolve => resolve(use())).then(
      () => 'allowed',
      error => error.errorName,
    )
  try {
    const authorization = `Bearer ${text}`
    const management = { ...system.management(), clock }
    return [
      await outcomeOf(() =>
        identify(inference, { authorization, clientAddress, patience: { leftMs: 2_000 } }),
      ),
      await outcomeOf(() =>
        authenticateCaller(management, { authorization: [authorization], address: clientAddress }),
      ),
    ]
  } finally {
    await closeInference(inference)
  }
}

test('whether a key has expired is decided by the clock of Postgres, however that of the process is set', async () => {
  expect(await useKey(hourMs / 2, hourMs)).toEqual(['allowed', 'allowed'])
  expect(await useKey(-hourMs / 2, -hourMs)).toEqual(['key_expired', 'key_expired'])
})

test('a cached key expires as time passes', async () => {
  const { accountId } = await anAccount(system.context)
  const key = await anApiKey(system.context, { accountId, expiresAt: new Date(Date.now() + hourMs) })
  const inference = await openInference(system.context, await openCommitter(system.context, { kind: 'test' }))
  const copy = (await inference.keys.read(parseKeyText(key.text)!.publicId))!
  await closeInference(inference)
  const now = system.context.clock.monotonic()
  const use = { clientAddress, hmacs: [Buffer.from(copy.hmac)] }
  expect(() => requireUsable(copy, { ...use, now: now + hourMs - 10_000 })).not.toThrow()
  expect(() => requireUsable(copy, { ...use, now: now + hourMs + 10_000 })).toThrow('expired')
})
