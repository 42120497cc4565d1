import { expect, test } from 'vitest'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { anAccount, anApiKey } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { authenticateCaller } from '../callers/authenticate-caller.ts'
import { createKey } from './create-key.ts'
import { requirePepper } from './pepper.ts'
import { createPlaygroundKey } from './playground-key.ts'
import { rollKey } from './roll-key.ts'
import { rotatePepper } from './rotate-pepper.ts'

const [first, second, third] = ['first', 'second', 'third'].map(name => `${name} pepper of these tests`)

const system = perFile(() => aManagedSystem({ KEY_PEPPER: first! }))

/** The system with other peppers. */
function withPeppers(keyPepper = '', keyPepperSecond = '') {
  return { ...system.context, config: { ...system.config, keyPepper, keyPepperSecond } }
}

/** Whether a key is recognised under these peppers. */
const recognises = (context: ReturnType<typeof withPeppers>, text: string) =>
  authenticateCaller(context, { authorization: [`Bearer ${text}`], address: '127.0.0.1' }).then(
    () => true,
    () => false,
  )

test('a rotation keeps both secrets of a key that was rolled', async () => {
  const { accountId } = await anAccount(system.context)
  const { text, record } = await createKey(system.management(), {
    accountId,
    createdBy: null,
    settings: { name: 'rolled' },
  })
  const rolled = await rollKey(system.management(), { accountId, keyId: record.id, overlapHours: 1 })
  expect(await rotatePepper(withPeppers(second, first))).toMatchObject({ rehashed: 2, kept: [] })
  for (const secret of [text, rolled.text]) expect(await recognises(withPeppers(second), secret)).toBe(true)
  await system.context.sql`update api_keys set revoked_at = now()`
  await system.context.sql`delete from pepper`
})

test('a wrong pepper is refused at start; a rotation keeps every key that can be opened, and needs the old pepper for others', async () => {
  const { accountId } = await anAccount(system.context)
  const { text } = await createKey(system.management(), {
    accountId,
    createdBy: null,
    settings: { name: 'a key' },
  })

  // The newest key decides if there is no check value yet; afterwards the stored value decides.
  for (const _ of ['no check value yet', 'stored']) {
    await expect(requirePepper(withPeppers(second))).rejects.toThrow(/^KEY_PEPPER: .*another pepper/)
    await requirePepper(withPeppers(first))
  }
  await requirePepper(withPeppers(second, first))
  expect(await recognises(withPeppers(second, first), text)).toBe(true)

  const unsealed = await anApiKey(system.context, { accountId }) // straight in the table, without a sealed text
  await expect(rotatePepper(withPeppers(second))).rejects.toThrow(/^KEY_PEPPER_SECOND must be/)
  expect(await rotatePepper(withPeppers(second, first))).toEqual({
    rehashed: 1,
    kept: [`${accountId}/${unsealed.keyId}`],
  })
  expect(await recognises(withPeppers(second), text)).toBe(true)
  expect(await recognises(withPeppers(second, first), unsealed.text)).toBe(true)
  await expect(requirePepper(withPeppers(first))).rejects.toThrow(/^KEY_PEPPER: /)
  for (const other of ['', third])
    await expect(requirePepper(withPeppers(second, other))).rejects.toThrow(/^KEY_PEPPER_SECOND: /)

  await system.context.sql`update api_keys set revoked_at = now() where id = ${unsealed.keyId}`
  expect(await rotatePepper(withPeppers(second, first))).toEqual({ rehashed: 0, kept: [] })
  await requirePepper(withPeppers(second))
})

test('a rotation needs no old pepper for the key of the playground, which has no text', async () => {
  const { accountId } = await anAccount(system.context)
  await createPlaygroundKey(system.context, { accountId })
  expect(await rotatePepper(withPeppers(third, second))).toMatchObject({ kept: [] })
})
