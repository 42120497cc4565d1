import { beforeAll, expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { perFile } from '../../test/harness/per-file.ts'
import type { Claim, KeptAnswer } from './claim-key.ts'
import { forgetOldKeys } from './end-claim.ts'
import { type OnceRequest, type RunningTries, runOnce } from './run-once.ts'

let processId: string

const here: RunningTries = new Map()
const anotherProcess = (): RunningTries => new Map()

const system = perFile(aSystem)

beforeAll(async () => {
  processId = system.context.ids.uuid()
  await system.context.sql`insert into processes (id, kind) values (${processId}, 'test')`
})

const answer: KeptAnswer = { status: 200, contentType: 'text/plain', body: Buffer.from('text') }
const answering = async ({ keep }: OnceRequest) => void (await keep(answer))

test('an answer is stored for 24 hours: then it is deleted, and the next try runs again', async () => {
  const { sql } = system.context
  const [old, young] = [aClaim(), aClaim()]
  for (const claim of [old, young]) expect(await once(claim, answering)).toBe('ran')
  await sql`update idempotency_keys set started_at = now() - interval '24 hours 1 second' where key = ${old.key}`
  await sql`update idempotency_keys set started_at = now() - interval '23 hours 59 minutes' where key = ${young.key}`
  expect(await forgetOldKeys(system.context)).toBe(1)
  expect(await once(old, answering)).toBe('ran')
  expect(await once(young, answering)).toMatchObject({ status: 200, contentType: 'text/plain' })
})

test('a try whose client has disconnected does not wait for the answer of another', async () => {
  const claim = aClaim()
  const running = Promise.withResolvers<void>()
  const first = once(claim, async request => {
    await running.promise
    await answering(request)
  })
  await expect.poll(() => isClaimed(claim)).toBe(true)
  for (const tries of [here, anotherProcess()]) {
    const disconnect = new AbortController()
    const waiting = runOnce(system.context, tries, {
      claim,
      patience: { leftMs: 2_000 },
      signal: disconnect.signal,
      run: answering,
    })
    setTimeout(() => disconnect.abort(), 20)
    expect(await waiting).toBe('aborted')
  }
  running.resolve()
  expect(await first).toBe('ran')
})

test('a thousand tries at once send Postgres one query between them: here, and where another process runs it', async () => {
  const claim = aClaim()
  const running = Promise.withResolvers<void>()
  const first = once(claim, async request => {
    await running.promise
    await answering(request)
  })
  await expect.poll(() => isClaimed(claim)).toBe(true)
  const queries = { here: 0, there: 0 }
  const there = anotherProcess()
  const never = new AbortController().signal
  const waiting = Array.from({ length: 1_000 }, (_, index) => {
    const [where, tries] = index % 2 ? (['here', here] as const) : (['there', there] as const)
    const sql: typeof system.context.sql = new Proxy(system.context.sql, {
      apply(target, self, args) {
        queries[where] += 1
        return Reflect.apply(target, self, args)
      },
    })
    return runOnce({ ...system.context, sql }, tries, {
      claim,
      patience: { leftMs: 2_000 },
      signal: never,
      run: answering,
    })
  })
  await new Promise(resolve => setTimeout(resolve, 200))
  running.resolve()
  expect(await first).toBe('ran')
  for (const result of await Promise.all(waiting)) expect(result).toMatchObject({ status: 200 })
  expect(queries.here).toBe(0)
  expect(queries.there).toBeGreaterThan(1)
  expect(queries.there).toBeLessThan(20)
})

test('where the first try fails, one of those that wait runs, and the others have its answer', async () => {
  const claim = aClaim()
  let runs = 0
  const tries = Array.from({ length: 20 }, () =>
    once(claim, async request => {
      runs += 1
      await new Promise(resolve => setTimeout(resolve, 20))
      if (runs === 1) throw new Error('no')
      await answering(request)
    }).catch(error => error.message),
  )
  const results = await Promise.all(tries)
  expect(runs).toBe(2)
  expect(results.filter(each => each === 'no')).toHaveLength(1)
  expect(results.filter(each => each === 'ran')).toHaveLength(1)
  expect(results.filter(each => each.status === 200)).toHaveLength(18)
})

test('a Postgres that does not answer gets one query for all tries that wait', async () => {
  const claim = aClaim()
  let queries = 0
  const sql: typeof system.context.sql = new Proxy(system.context.sql, {
    apply() {
      queries += 1
      return Promise.reject(Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' }))
    },
  })
  const signal = new AbortController().signal
  const tries = Array.from({ length: 50 }, () =>
    runOnce({ ...system.context, sql }, here, { claim, patience: { leftMs: 2_000 }, signal, run: answering }),
  )
  for (const result of await Promise.allSettled(tries)) {
    expect(result).toMatchObject({ status: 'rejected', reason: { errorName: 'unavailable' } })
  }
  expect(queries).toBe(1)
})

test('a run that throws gives its key up, and throws', async () => {
  const claim = aClaim()
  await expect(once(claim, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await isClaimed(claim)).toBe(false)
})

test('a run that throws after its answer was kept does not run again', async () => {
  const claim = aClaim()
  const breaking = once(claim, async request => {
    await answering(request)
    throw new Error('the client left')
  })
  await expect(breaking).rejects.toThrow('the client left')
  expect(await once(claim, answering)).toMatchObject({ status: 200 })
})

test('a try is refused when its patience ends, even if its clock is a moment behind the timer', async () => {
  const sql: typeof system.context.sql = new Proxy(system.context.sql, { apply: () => new Promise(() => {}) })
  const clock = { ...system.context.clock, monotonic: () => 0 }
  const own = {
    claim: aClaim(),
    patience: { leftMs: 1 },
    signal: new AbortController().signal,
    run: answering,
  }
  await expect(runOnce({ ...system.context, sql, clock }, here, own)).rejects.toMatchObject({
    errorName: 'unavailable',
  })
})

test('a try whose patience with Postgres ends is refused, and a claim that is granted later is given up', async () => {
  const claim = aClaim()
  const [silence, granted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sql: typeof system.context.sql = new Proxy(system.context.sql, {
    apply: (target, self, args) =>
      silence.promise.then(() => Reflect.apply(target, self, args)).finally(granted.resolve),
  })
  const patience = { leftMs: 1 }
  const signal = new AbortController().signal
  const late = runOnce({ ...system.context, sql }, here, { claim, patience, signal, run: answering })
  await expect(late).rejects.toMatchObject({ errorName: 'unavailable' })
  expect(patience.leftMs).toBe(0)
  silence.resolve()
  await granted.promise
  expect(await once(claim, answering)).toBe('ran')
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
  return runOnce(system.context, here, {
    claim,
    patience: { leftMs: 2_000 },
    signal: new AbortController().signal,
    run,
  })
}

async function isClaimed({ key }: Claim): Promise<boolean> {
  return (await system.context.sql`select 1 from idempotency_keys where key = ${key}`).count === 1
}
