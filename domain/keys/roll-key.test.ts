import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openRedis } from '../../platform/redis/open-redis.ts'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { authenticateCaller } from '../callers/authenticate-caller.ts'
import { openCommitter } from '../committer/open-committer.ts'
import { checkKeyAndRate } from '../inference/check-key-and-rate.ts'
import { identify } from '../inference/identify.ts'
import { closeInference, openInference } from '../inference/open-inference.ts'
import { updateKey } from './change-key.ts'
import { createKey } from './create-key.ts'
import { isSecretOf } from './key-cache.ts'
import { findKey, openFullKey } from './key-records.ts'
import { hmacsOfKey, parseKeyText } from './key-text.ts'
import { rollKey } from './roll-key.ts'

const system = perFile(aManagedSystem)
const inference = perFile(
  async () => openInference(system.context, await openCommitter(system.context, { kind: 'test' })),
  closeInference,
)

const hourMs = 3_600_000
const address = '192.0.2.1'

async function aKey() {
  const { accountId } = await anAccount(system.context)
  const made = { accountId, createdBy: null, settings: { name: 'a key' } }
  const { text, record } = await createKey(system.management(), made)
  const roll = async (overlapHours: number) =>
    (await rollKey(system.management(), { accountId, keyId: record.id, overlapHours })).text
  return { accountId, keyId: record.id, text, roll }
}

/** Whether a secret is accepted by the inference API, which has copies, and by the management API. */
async function accepts(text: string): Promise<[edge: boolean, management: boolean]> {
  const authorization = `Bearer ${text}`
  const yes = () => true
  const no = () => false
  return [
    await identify(inference, { authorization, clientAddress: address, patience: { leftMs: 2_000 } }).then(
      yes,
      no,
    ),
    await authenticateCaller(system.management(), { authorization: [authorization], address }).then(yes, no),
  ]
}

test('a roll keeps the ID and the public ID, and both secrets are valid during the overlap', async () => {
  const { accountId, keyId, text, roll } = await aKey()
  expect(await accepts(text)).toEqual([true, true])
  const rolled = await roll(1)
  expect(rolled).not.toBe(text)
  expect(parseKeyText(rolled)).toEqual(parseKeyText(text))
  for (const secret of [rolled, text]) expect(await accepts(secret)).toEqual([true, true])
  const record = await findKey(system.context, { accountId, keyId })
  expect(openFullKey(system.context, record)).toBe(rolled)
  expect(record.keyPrefix.slice(-4)).toBe(rolled.slice(-4))
  expect(Number(record.previousEndsAt) - Date.now()).toBeGreaterThan(hourMs - 60_000)
})

test('without an overlap only the new secret is valid, and another roll ends the secret before the previous one', async () => {
  const { text, roll } = await aKey()
  const second = await roll(1)
  const third = await roll(1)
  expect(await accepts(text)).toEqual([false, false])
  for (const secret of [second, third]) expect(await accepts(secret)).toEqual([true, true])
  const last = await roll(0)
  for (const secret of [text, second, third]) expect(await accepts(secret)).toEqual([false, false])
  expect(await accepts(last)).toEqual([true, true])
})

test.each([
  ['disabled', { disabled: true }, 'key_disabled'],
  ['expired', { expiresAt: new Date(Date.now() - hourMs) }, 'key_expired'],
])('a roll of a key that is %s does not make it valid', async (_, changes, errorName) => {
  const { accountId, keyId, text, roll } = await aKey()
  await updateKey(system.management(), { accountId, keyId, changes })
  for (const secret of [text, await roll(1)]) {
    const credential = {
      authorization: `Bearer ${secret}`,
      clientAddress: address,
      patience: { leftMs: 2_000 },
    }
    await expect(identify(inference, credential)).rejects.toMatchObject({ errorName })
    expect((await accepts(secret))[1]).toBe(false)
  }
})

test('of concurrent rolls, the last secret and the one before it are valid', async () => {
  const { text, roll } = await aKey()
  const secrets = await Promise.all([roll(1), roll(1), roll(1)])
  const valid = await Promise.all(secrets.map(async secret => (await accepts(secret))[1]))
  expect(valid.filter(isValid => isValid)).toHaveLength(2)
  expect(await accepts(text)).toEqual([false, false])
})

test('a copy refuses the previous secret from the moment at which it ends', async () => {
  const { keyId, text, roll } = await aKey()
  await roll(1)
  const copy = (await inference.keys.read(parseKeyText(text)!.publicId))!
  const hmacs = hmacsOfKey(system.config, text)
  const { endsAt } = copy.previous!
  expect(isSecretOf(copy, { hmacs, now: endsAt - 1 })).toBe(true)
  expect(isSecretOf(copy, { hmacs, now: endsAt })).toBe(false)
  await system.context.sql`update api_keys set previous_ends_at = now() where id = ${keyId}`
  await inference.keys.read(copy.publicId)
  expect(await accepts(text)).toEqual([false, false])
})

test('wrong secrets of a known key cause few reads', async () => {
  const { text } = await aKey()
  await accepts(text)
  const read = vi.spyOn(inference.keys, 'read')
  for (let times = 0; times < 50; times++) {
    const wrong = text.slice(0, -2) + String(10 + times)
    await expect(
      identify(inference, {
        authorization: `Bearer ${wrong}`,
        clientAddress: address,
        patience: { leftMs: 2_000 },
      }),
    ).rejects.toMatchObject({ errorName: 'no_access' })
  }
  expect(read.mock.calls.length).toBeLessThan(5)
  read.mockRestore()
})

test('a secret that ended while only the control plane lost Redis is refused by an edge with an old copy of the key', async () => {
  const { accountId, keyId, text } = await aKey()
  const ask = async () => {
    const patience = { leftMs: 2_000 }
    const presented = { authorization: `Bearer ${text}`, clientAddress: address, patience }
    const key = await identify(inference, { ...presented, isCompared: true })
    const check = { clientAddress: address, hmacs: hmacsOfKey(system.config, text), patience, tokens: 0 }
    return checkKeyAndRate(inference, key, check)
  }
  for (let times = 0; times < 2; times++) await ask() // Redis then has the revision
  await sleep(1_000) // the copy is no longer refreshed
  const redis = openRedis({ url: 'redis://127.0.0.1:1', cluster: false, name: 'nowhere' })
  onTestFinished(() => redis.disconnect())
  await rollKey({ ...system.management(), redis }, { accountId, keyId, overlapHours: 0 })
  await expect(ask()).rejects.toMatchObject({ errorName: 'no_access' })
}, 15_000)

test.each([-1, 169, 1.5, Number.NaN])('an overlap of %j hours is refused', async overlapHours => {
  const roll = rollKey(system.management(), { accountId: 'any', keyId: 'any', overlapHours })
  await expect(roll).rejects.toMatchObject({
    errorName: 'validation_failed',
    details: { param: 'overlapHours' },
  })
})
