import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { aBudget, aKeyWithCredits } from '../../test/harness/an-account.ts'
import { balanceOf, expectLedgerToBalance } from '../../test/harness/invariants.ts'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import { lapseHoldsOf } from '../../test/harness/ledger/ledgers.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aPostgresProxy } from '../../test/harness/postgres/a-postgres-proxy.ts'
import type { HoldOwner } from './hold.ts'
import { closeLedger, openLedger } from './open-ledger.ts'
import { postHolds } from './post-holds.ts'
import { lapseHolds } from './process-row.ts'
import { reserve } from './reserve.ts'
import { settle } from './settle.ts'

const system = perFile(aSystem)
const ledger = perFile(() => openLedger(system.context, { kind: 'edge' }), closeLedger)
afterEach(() => expectLedgerToBalance(system.context.sql))

const cent = 10_000_000n

/** The rows that a transaction locks while it posts charges, such as a top-up or a task. */
const books = ['balances', 'holds']

describe.each([
  ['balance', 'balances'],
  ['budget of its key', 'key_budgets'],
  ['budget of a tag', 'budgets'],
])('an account whose %s is locked by another transaction', (_, table) => {
  const aPayer = table === 'budgets' ? aBudgetedKey : aKey

  test('settles its requests meanwhile, and posts them when it is unlocked', async () => {
    const [stuck, other] = [await aPayer(), await aPayer()]
    const reservations = [await reserveCent(stuck), await reserveCent(other)]
    const unlock = await lock([table], stuck)
    await settle(ledger, reservations[0], aRequestRecord(stuck, cent))
    await settle(ledger, reservations[1], aRequestRecord(other, cent))
    expect(await creditsOf(stuck)).toBe(99n * cent)
    await postHolds(ledger)
    expect([await postedCredits(stuck), await postedCredits(other)]).toEqual([100n * cent, 99n * cent])
    await unlock()
    await postHolds(ledger)
    expect(await postedCredits(stuck)).toBe(99n * cent)
  })

  test('gets a timely error for requests that wait for a reservation', async () => {
    const [stuck, other] = [await aPayer(), await aPayer()]
    const unlock = await lock([table], stuck)
    const refused = expect(reserveCent(stuck)).rejects.toMatchObject({ errorName: 'unavailable' })
    await pay(other)
    await refused
    await unlock()
    await pay(stuck)
    await expect.poll(async () => (await balanceOf(system.context.sql, stuck.accountId)).in_use).toBe(0n)
  })
})

describe.each([
  ['', aKey],
  [' with budgets', aBudgetedKey],
])('an account%s whose charges another transaction posts', (_, aPayer) => {
  test('does not delay other accounts, and is settled once when it is unlocked', async () => {
    const [stuck, ...others] = await Promise.all(Array.from({ length: 6 }, () => aPayer()))
    const reservations = await Promise.all([stuck!, stuck!, ...others].map(key => reserveCent(key)))
    const unlock = await lock(books, stuck!)
    const held = [0, 1].map(turn => settle(ledger, reservations[turn]!, aRequestRecord(stuck!, cent)))
    await Promise.all(
      others.map((key, turn) => settle(ledger, reservations[turn + 2]!, aRequestRecord(key, cent))),
    )
    // After its first timeout, the lock is not awaited again, although the rows are sent repeatedly. The settlements that
    // wait for it give up after two seconds, so the others pay together.
    await Promise.all(others.map(pay))
    const runs = vi.spyOn(ledger.connection, 'run')
    for (let turn = 0; turn < 4; turn++) await Promise.all(others.map(pay))
    const answers = await Promise.allSettled(runs.mock.results.map(({ value }) => value))
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([])
    runs.mockRestore()
    expect(await creditsOf(stuck!)).toBe(100n * cent)
    await unlock()
    expect(await Promise.all(held)).toEqual([cent, cent])
    expect(await creditsOf(stuck!)).toBe(98n * cent)
    for (const key of others) expect(await creditsOf(key)).toBe(94n * cent)
    await pay(stuck!)
  })

  test('is not charged after the unlock if the client got an error', async () => {
    const stuck = await aPayer()
    const reservation = await reserveCent(stuck)
    const unlock = await lock(books, stuck)
    await expect(settle(ledger, reservation, aRequestRecord(stuck, cent))).rejects.toMatchObject({
      status: 503,
    })
    await unlock()
    await expect.poll(() => ledger.settling.size).toBe(0)
    expect(await creditsOf(stuck)).toBe(100n * cent)
  })
})

test('a charge that waits for a lock keeps its money while its hold settles other requests', async () => {
  const other = await openLedger(system.context, { kind: 'edge' })
  const key = await aKey({ creditNanos: 2n * cent })
  const [first, second] = [await reserveCent(key), await reserveCent(key)]
  const waiting = expect(reserve(other, { ...key, amountNanos: cent, minimumNanos: cent })).rejects
  const unlock = await lock(books, key)
  const deferred = settle(ledger, first, aRequestRecord(key, cent))
  await expect.poll(() => ledger.contested.has(key.accountId), { interval: 1 }).toBe(true)
  await unlock()
  const next = settle(ledger, second, aRequestRecord(key, cent))
  expect(await Promise.all([deferred, next])).toEqual([cent, cent])
  await waiting.toMatchObject({ errorName: 'insufficient_credits' })
  expect(await balanceOf(system.context.sql, key.accountId)).toEqual({ credits: 0n, held: 0n, in_use: 0n })
  await closeLedger(other)
})

test('after a part with a locked account, later parts do not update its hold', async () => {
  const key = await aKey({ creditNanos: 4n * cent })
  const reservations = await Promise.all([1, 2, 3, 4].map(() => reserveCent(key)))
  const unlock = await lock(books, key)
  let isUnlocked = false
  const free: bigint[] = []
  const run = ledger.connection.run.bind(ledger.connection)
  const runs = vi.spyOn(ledger.connection, 'run').mockImplementation(async statement => {
    const answer = await run(statement)
    if (!isUnlocked) await unlock() // the first part has reported the account as locked
    isUnlocked = true
    const { credits, held } = await balanceOf(system.context.sql, key.accountId)
    free.push(credits - held)
    return answer
  })
  const faults = [{}, {}, {}, { byokId: 'nobody' }]
  const settled = await Promise.allSettled(
    reservations.map((reservation, turn) =>
      settle(ledger, reservation, { ...aRequestRecord(key, cent), ...faults[turn] }),
    ),
  )
  runs.mockRestore()
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  // The free amount never exceeds the amount that the refused request released.
  expect(free.filter(nanos => nanos > cent)).toEqual([])
  expect(await creditsOf(key)).toBe(cent)
})

test('a charge that waits for a lock is made even if the result of the first flush was lost', async () => {
  const { config, context } = system
  const proxy = await aPostgresProxy(config.databaseUrl)
  const stalling = await openLedger(
    { ...context, config: { ...config, databaseUrl: proxy.url } },
    { kind: 'edge' },
  )
  const key = await aKey()
  const reservation = await reserve(stalling, { ...key, amountNanos: cent, minimumNanos: cent })
  const unlock = await lock(books, key)
  const record = aRequestRecord(key, cent)
  const settling = expect(settle(stalling, reservation, record, { isDelivered: true })).rejects
  await expect.poll(() => stalling.contested.has(key.accountId), { interval: 1 }).toBe(true)
  proxy.swallowAnswersTo(record.requestId)
  await sleep(500)
  proxy.swallowAnswersTo('nothing any more')
  await unlock()
  await settling.toMatchObject({ errorName: 'settlement_unknown' })
  await expect.poll(() => stalling.settling.size, { timeout: 15_000 }).toBe(0)
  expect(await creditsOf(key)).toBe(99n * cent)
  await closeLedger(stalling)
  await proxy.close()
}, 30_000)

test('the holds of a dead process lapse; those of a locked account follow later', async () => {
  const dead = await openLedger(system.context, { kind: 'edge' })
  const [stuck, other] = [await aKey(), await aKey()]
  for (const key of [stuck, other]) await reserve(dead, { ...key, amountNanos: cent, minimumNanos: cent })
  const unlock = await lock(['balances'], stuck)
  const heldOf = async (key: HoldOwner) => (await balanceOf(system.context.sql, key.accountId)).held
  // A heartbeat of the process can arrive between.
  await expect.poll(() => lapseHoldsOf(dead).then(() => heldOf(other))).toBe(0n)
  expect(await heldOf(stuck)).toBeGreaterThan(0n)
  await unlock()
  const heldAfterLapse = () => lapseHolds(system.context).then(() => heldOf(stuck))
  await expect.poll(heldAfterLapse).toBe(0n)
  await closeLedger(dead)
})

/** Locks the rows of an account in a transaction. Returns a function that ends it. */
async function lock(tables: string[], { accountId }: HoldOwner): Promise<() => Promise<unknown>> {
  const { sql } = system.context
  const [isLocked, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const transaction = sql.begin(async tx => {
    await tx`set local idle_in_transaction_session_timeout = 0` // the test decides how long the lock is held
    for (const table of tables) await tx`select from ${tx(table)} where account_id = ${accountId} for update`
    isLocked.resolve()
    await isOver.promise
  })
  await isLocked.promise
  onTestFinished(() => isOver.resolve())
  return () => {
    isOver.resolve()
    return transaction
  }
}

/** A key whose requests count in a budget. */
async function aBudgetedKey(): Promise<HoldOwner> {
  const key = await aKey()
  return { ...key, budgets: [await aBudget(system.context, { ...key, limitNanos: 1_000n * cent })] }
}

async function aKey(options = { creditNanos: 100n * cent }): Promise<HoldOwner> {
  return aKeyWithCredits(system.context, options)
}

function reserveCent(key: HoldOwner) {
  return reserve(ledger, { ...key, amountNanos: cent, minimumNanos: cent })
}

async function pay(key: HoldOwner): Promise<void> {
  await settle(ledger, await reserveCent(key), aRequestRecord(key, cent))
}

/** The credits in the balance's row, without unposted charges. */
async function postedCredits({ accountId }: HoldOwner): Promise<bigint | undefined> {
  const [row] = await system.context.sql<{ credits: bigint }[]>`
    select credits_nanos as credits from balances where account_id = ${accountId}`
  return row?.credits
}

async function creditsOf({ accountId }: HoldOwner): Promise<bigint> {
  return (await balanceOf(system.context.sql, accountId)).credits
}
