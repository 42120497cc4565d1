import { describe, expect, test } from 'vitest'
import { aSystem } from '../harness/a-context.ts'
import { anAccount, anApiKey, type TestKey } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import type { Seen } from './ask.ts'
import { accountsOf, checkRound, compare, type Logged, type RoundSeen } from './check-round.ts'
import { type BookedTask, compareTasks } from './check-tasks.ts'
import { type Customers, payable } from './customers.ts'
import type { ReportedTask } from './make-tasks.ts'

const aKey = (accountId: string): TestKey => ({ accountId, keyId: accountId, text: '' })
const customers: Customers = {
  rich: [aKey('rich')],
  exact: aKey('exact'),
  capped: aKey('capped'),
  budgeted: aKey('budgeted'),
  idempotent: aKey('idempotent'),
  rude: aKey('rude'),
  byok: aKey('byok'),
  maker: aKey('maker'),
  revoked: aKey('revoked'),
  lowered: aKey('lowered'),
}

let rounds = 0

/** A round in which all is well: with its clients' sights and its log to plant something in. */
function aRound() {
  const seen: Seen[] = []
  const logged = new Map<string, Logged>()
  const load = { seen, repeats: new Map(), tasks: [] }
  const round: RoundSeen = { customers, load, revokedAt: 1_000, loweredAt: 1_000 }
  const add = (accountId: string, more: Partial<Seen & Logged> = {}) => {
    const id = `req_${++rounds}`
    const one: Seen = {
      accountId,
      requestId: id,
      status: 200,
      end: 'answered',
      sentAt: 0,
      isReplay: false,
      answerId: id,
      code: undefined,
      isToldFree: false,
      ...more,
    }
    const costNanos = accountId === 'byok' ? 0n : 5n
    seen.push(one)
    logged.set(id, {
      id,
      accountId,
      status: 200,
      costNanos,
      isByok: costNanos === 0n,
      entries: costNanos === 0n ? 0 : 1,
      ...more,
    })
    return one
  }
  for (const accountId of accountsOf(customers)) add(accountId)
  for (const accountId of ['exact', 'capped', 'budgeted'])
    for (let turn = 1n; turn < payable; turn++) add(accountId)
  const tries = [add('idempotent'), { ...seen.at(-1)!, isReplay: true }]
  round.load.repeats.set('key', tries)
  return { round, logged, add }
}

describe('of a round', () => {
  test('in which all is well, nothing is told', () => {
    const { round, logged } = aRound()
    expect(compare(round, logged)).toEqual([])
  })

  type Planted = ReturnType<typeof aRound>
  const free = { costNanos: 0n, entries: 0 }
  const refused = { end: 'refused', status: 503, code: 'unavailable' } as const
  const plants: [string, (planted: Planted) => unknown, RegExp][] = [
    ['a free answer', ({ add }) => add('rich', free), /answered for nothing/],
    ['an answer without its entry', ({ add }) => add('rich', { entries: 0 }), /with 0 entries/],
    ['a double charge', ({ add }) => add('rude', { entries: 2, end: 'cut' }), /charged twice/],
    [
      'an answer that is not logged',
      ({ logged, add }) => logged.delete(add('rich').requestId!),
      /not in the log/,
    ],
    [
      'a refused one that is charged',
      ({ add }) => add('rich', refused),
      /was refused \(unavailable\), and charged/,
    ],
    [
      'a stream told to be free, and charged',
      ({ add }) => add('rude', { end: 'cut', isToldFree: true }),
      /and charged/,
    ],
    [
      "a customer's own vendor charged",
      ({ add }) => add('byok', { costNanos: 5n }),
      /own vendor was charged/,
    ],
    [
      'a charge of nobody',
      ({ round, add }) => round.load.seen.splice(round.load.seen.indexOf(add('rich')), 1),
      /nobody sent/,
    ],
    ['an eleventh', ({ add }) => add('exact'), /11 charges on a balance/],
    ['a twelfth on the cap', ({ add }) => [add('capped'), add('capped')], /12 charges on a cap/],
    ['an eleventh on the budget', ({ add }) => add('budgeted'), /11 charges on a budget/],
    [
      'a revoked key that is answered',
      ({ add }) => add('revoked', { sentAt: 2_000 }),
      /after its key was revoked/,
    ],
    [
      'a lowered cap that is passed',
      ({ add }) => add('lowered', { sentAt: 2_000 }),
      /after its cap was lowered/,
    ],
    ['a 500', ({ add }) => add('rich', { ...refused, ...free, status: 500 }), /a 500/],
    ['nobody answering', ({ add }) => add('rich', { ...free, end: 'hung' }), /no answer for a minute/],
    [
      'two answers and charges under one key',
      ({ round, add }) => round.load.repeats.get('key')!.push(add('idempotent')),
      /2 answers under[\s\S]*2 charges under/,
    ],
  ]
  test.each(plants)('%s is told', (_, plant, told) => {
    const planted = aRound()
    plant(planted)
    expect(compare(planted.round, planted.logged).join('\n')).toMatch(told)
  })
})

describe('of tasks', () => {
  const booked = (more: Partial<BookedTask> = {}): BookedTask => ({
    id: 'task_1',
    status: 'success',
    costNanos: 5n,
    entries: 1,
    ...more,
  })
  const told = (more: Partial<ReportedTask> = {}): ReportedTask => ({
    id: 'task_1',
    told: 'success',
    idempotencyKey: undefined,
    ...more,
  })
  const free = { costNanos: 0n, entries: 0 }

  test.each<[string, BookedTask, ReportedTask, RegExp | undefined]>([
    ['one that is made and charged', booked(), told(), undefined],
    ['one that is cancelled', booked({ status: 'cancelled', ...free }), told({ told: 'failed' }), undefined],
    ['one that is lost', booked(), told({ id: 'task_2' }), /is not there/],
    ['one that never ends', booked({ status: 'running', ...free }), told({ told: 'pending' }), /not ended/],
    ['a double charge', booked({ entries: 2 }), told(), /2 entries/],
    ['a failure that is charged', booked({ status: 'failed' }), told({ told: 'failed' }), /1 entries/],
    ['a success that is taken back', booked({ status: 'failed', ...free }), told(), /told to be success/],
    ['a failure that succeeds', booked(), told({ told: 'failed' }), /told to be failed/],
    ['a success for nothing', booked(free), told(), /made for nothing/],
  ])('%s', (_, row, one, words) => {
    const breaks = compareTasks(new Map([[row.id, row]]), [one]).join('\n')
    if (words) expect(breaks).toMatch(words)
    else expect(breaks).toBe('')
  })

  test('two under one key', () => {
    const two = ['task_1', 'task_2'].map(id => told({ id, idempotencyKey: 'key' }))
    const rows = new Map(two.map(({ id }) => [id, booked({ id })]))
    expect(compareTasks(rows, two)).toEqual(['two tasks under the Idempotency-Key key'])
  })
})

const system = perFile(aSystem)

test('a wrong sum, money that stays in use and a charge without its log are reported', async () => {
  const { sql } = system.context
  const key = await anAccount(system.context, { creditNanos: 100n }).then(account =>
    anApiKey(system.context, account),
  )
  const nobody = Object.fromEntries(Object.keys(customers).map(kind => [kind, kind === 'rich' ? [key] : key]))
  const round = {
    customers: { ...customers, ...nobody },
    load: { seen: [], repeats: new Map(), tasks: [] },
    revokedAt: undefined,
    loweredAt: undefined,
  }
  const check = async () => (await checkRound(sql, round)).breaks.join('\n')
  expect(await check()).not.toMatch(/differ|in use|not in the log/)
  await sql`update balances set credits_nanos = credits_nanos - 1 where account_id = ${key.accountId}`
  expect(await check()).toContain('credits differ from transactions')
  await sql`
      insert into transactions (account_id, id, source, credits_nanos, payment_method, status, request_id)
      values (${key.accountId}, 'txn_1', 'req_1', -1, 'usage', 'completed', 'req_1')`
  expect(await check()).toContain('a charge is not in the log')
  await sql`
      insert into holds (account_id, id, key_id, amount_nanos, in_use_nanos)
      values (${key.accountId}, gen_random_uuid(), ${key.keyId}, 1, 1)`
  expect(await check()).toMatch(/held differs from holds[\s\S]*money is in use/)
})
