import { afterAll, beforeAll, expect, test } from 'vitest'
import { aSystem, type TestSystem } from '../../test/harness/a-context.ts'
import type { Claim, KeptAnswer } from './claim-key.ts'
import { forgetOldKeys } from './end-claim.ts'
import { type OnceRequest, runOnce, type TriesUnderWay } from './run-once.ts'

let system: TestSystem
let processId: string

const here: TriesUnderWay = new Map()
const anotherProcess = (): TriesUnderWay => new Map()

beforeAll(async () => {
  system = await aSystem()
  processId = system.context.ids.uuid()
  await system.context.sql`insert into processes (id, kind) values (${processId}, 'test')`
})
afterAll(() => system.close())

const answer: KeptAnswer = { status: 200, contentType: 'text/plain', body: Buffer.from('said') }
const saying = async ({ keep }: OnceRequest) => void (await keep(answer))

test('an answer is kept for 24 hours: after them it is forgotten, and the next try runs anew', async () => {
  const { sql } = system.context
  const [old, young] = [aClaim(), aClaim()]
  for (const claim of [old, young]) expect(await once(claim, saying)).toBe('ran')
  await sql`update idempotency_keys set started_at = now() - interval '24 hours 1 second' where key = ${old.key}`
  await sql`update idempotency_keys set started_at = now() - interval '23 hours 59 minutes' where key = ${young.key}`
  expect(await forgetOldKeys(system.context)).toBe(1)
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
  for (const tries of [here, anotherProcess()]) {
    const leaving = new AbortController()
    const waiting = runOnce(system.context, tries, { claim, left: leaving.signal, run: saying })
    setTimeout(() => leaving.abort(), 20)
    expect(await waiting).toBe('left')
  }
  running.resolve()
  expect(await first).toBe('ran')
})

test('a thousand tries at once ask Postgres once between them: here, and where another process runs it', async () => {
  const claim = aClaim()
  const running = Promise.withResolvers<void>()
  const first = once(claim, async request => {
    await running.promise
    await saying(request)
  })
  await expect.poll(() => isClaimed(claim)).toBe(true)
  const asked = { here: 0, there: 0 }
  const there = anotherProcess()
  const never = new AbortController().signal
  const waiting = Array.from({ length: 1_000 }, (_, index) => {
    const [where, tries] = index % 2 ? (['here', here] as const) : (['there', there] as const)
    const sql: typeof system.context.sql = new Proxy(system.context.sql, {
      apply(target, self, args) {
        asked[where] += 1
        return Reflect.apply(target, self, args)
      },
    })
    return runOnce({ ...system.context, sql }, tries, { claim, left: never, run: saying })
  })
  await new Promise(resolve => setTimeout(resolve, 200))
  running.resolve()
  expect(await first).toBe('ran')
  for (const told of await Promise.all(waiting)) expect(told).toMatchObject({ status: 200 })
  expect(asked.here).toBe(0)
  expect(asked.there).toBeGreaterThan(1)
  expect(asked.there).toBeLessThan(20)
})

test('where the first try fails, one of those that wait runs, and the others have its answer', async () => {
  const claim = aClaim()
  let runs = 0
  const tries = Array.from({ length: 20 }, () =>
    once(claim, async request => {
      runs += 1
      await new Promise(resolve => setTimeout(resolve, 20))
      if (runs === 1) throw new Error('no')
      await saying(request)
    }).catch(error => error.message),
  )
  const told = await Promise.all(tries)
  expect(runs).toBe(2)
  expect(told.filter(each => each === 'no')).toHaveLength(1)
  expect(told.filter(each => each === 'ran')).toHaveLength(1)
  expect(told.filter(each => each.status === 200)).toHaveLength(18)
})

test('a Postgres that cannot be asked is asked once for all who wait', async () => {
  const claim = aClaim()
  let asked = 0
  const sql: typeof system.context.sql = new Proxy(system.context.sql, {
    apply() {
      asked += 1
      return Promise.reject(Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' }))
    },
  })
  const left = new AbortController().signal
  const tries = Array.from({ length: 50 }, () =>
    runOnce({ ...system.context, sql }, here, { claim, left, run: saying }),
  )
  for (const told of await Promise.allSettled(tries)) {
    expect(told).toMatchObject({ status: 'rejected', reason: { errorName: 'unavailable' } })
  }
  expect(asked).toBe(1)
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
  const { ids, clock } = system.context
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
  return runOnce(system.context, here, { claim, left: new AbortController().signal, run })
}

async function isClaimed({ key }: Claim): Promise<boolean> {
  return (await system.context.sql`select 1 from idempotency_keys where key = ${key}`).count === 1
}
