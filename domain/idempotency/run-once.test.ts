import { afterAll, beforeAll, expect, test } from 'vitest'
import { aHouse, type TestHouse } from '../../test/harness/a-context.ts'
import type { Claim, KeptAnswer } from './claim-key.ts'
import { forgetOldKeys } from './keep-answer.ts'
import { type OnceRequest, runOnce } from './run-once.ts'

let house: TestHouse
let processId: string

beforeAll(async () => {
  house = await aHouse()
  processId = house.context.ids.uuid()
  await house.context.sql`insert into processes (id, kind) values (${processId}, 'test')`
})
afterAll(() => house.close())

const answer: KeptAnswer = { status: 200, contentType: 'text/plain', body: Buffer.from('said') }
const saying = ({ keep }: OnceRequest) => keep(answer)

test('an answer is kept for 24 hours: after them it is forgotten, and the next try runs anew', async () => {
  const { sql } = house.context
  const [old, young] = [aClaim(), aClaim()]
  for (const claim of [old, young]) expect(await once(claim, saying)).toBe('ran')
  await sql`update idempotency_keys set started_at = now() - interval '24 hours 1 second' where key = ${old.key}`
  await sql`update idempotency_keys set started_at = now() - interval '23 hours 59 minutes' where key = ${young.key}`
  expect(await forgetOldKeys(house.context)).toBe(1)
  expect(await once(old, saying)).toBe('ran')
  expect(await once(young, saying)).toMatchObject({ status: 200, contentType: 'text/plain' })
})

test('a try whose client left does not wait for the answer of another', async () => {
  const claim = aClaim()
  const running = Promise.withResolvers<void>()
  const first = once(claim, async request => {
    await running.promise
    await saying(request)
  })
  await expect.poll(() => isClaimed(claim)).toBe(true)
  const left = runOnce(house.context, { claim, isWanted: () => false, run: saying })
  expect(await left).toBe('left')
  running.resolve()
  expect(await first).toBe('ran')
})

test('a run that throws gives its key up, and throws', async () => {
  const claim = aClaim()
  await expect(once(claim, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await isClaimed(claim)).toBe(false)
})

test('a run that throws after its answer was kept does not run again', async () => {
  const claim = aClaim()
  const breaking = once(claim, async request => {
    await saying(request)
    throw new Error('the client left')
  })
  await expect(breaking).rejects.toThrow('the client left')
  expect(await once(claim, saying)).toMatchObject({ status: 200 })
})

function aClaim(): Claim {
  const { ids, clock } = house.context
  return {
    accountId: ids.uuid(),
    key: ids.uuid(),
    fingerprint: Buffer.from('same'),
    processId,
    requestId: ids.tagged('req_'),
    startedAt: clock.now(),
  }
}

function once(claim: Claim, run: (request: OnceRequest) => Promise<void>) {
  return runOnce(house.context, { claim, isWanted: () => true, run })
}

async function isClaimed({ key }: Claim): Promise<boolean> {
  return (await house.context.sql`select 1 from idempotency_keys where key = ${key}`).count === 1
}
