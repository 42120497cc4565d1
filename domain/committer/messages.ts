import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { isErrorName, Problem } from '../../schema/errors.ts'
import type { Budget, HoldBudgets, HoldOwner } from '../ledger/hold.ts'
import type { RevisedAmount } from '../ledger/reserve.ts'
import type { RateLimits, RateRequest, RateResult } from '../rates/window.ts'
import type { RecordFields } from './record-fields.ts'

// Messages between an edge process and the committer. They are arrays, because JSON of arrays costs half of that of
// objects. Amounts are texts, because JSON has no bigint. Numbers that an edge process gives to its calls are unique
// within the life of the edge process; the number of the call that reserves money is the reservation's.

/** The limits, requests and tokens of a rate check. */
type RateFields = [accountId: string, keyId: string, limits: LimitFields, requests: 0 | 1, tokens: number]

type LimitFields = [
  burst: number,
  burstWindowMs: number,
  rpm: number | null,
  tph: number | null,
  tpd: number | null,
  account: number | null,
]

/** The owner of a hold. A budget is its ID, kind, key and value. */
type OwnerFields = [accountId: string, keyId: string, budgets: BudgetFields[] | null]
type BudgetFields = [id: string, kind: Budget['kind'], key: string, value: string]

/** A reservation as its edge process knows it. */
export type ReservationFields = [number: number, owner: OwnerFields, amount: string, revision: string]

/** A message of an edge process. */
export type Request =
  | ['hello', build: string]
  | ['beat']
  /** Checks a request. With an amount, also reserves it if it can be reserved at once. */
  | ['check', call: number, rate: RateFields, amount: AmountFields | null]
  | ['correct', rate: RateFields, counted: CountedFields, tokens: number]
  | ['reserve', call: number, owner: OwnerFields, amounts: ReserveFields]
  | ['extend', call: number, reservation: number, revision: string | null, more: string, minimum: string]
  | [
      'renew',
      call: number,
      reservation: number,
      revision: string,
      budgets: BudgetFields[] | null,
      leftMs: number,
    ]
  | ['settle', call: number, reservation: number | null, record: RecordFields, isDelivered: boolean]
  | ['unanswered', call: number, request: RequestFields]
  /** Ends a reservation that its request does not use. */
  | ['release', reservation: number]
  | ['recall', accountId: string]
  /** A reservation that an earlier committer granted. */
  | ['restate', reservation: ReservationFields]
  /** A settlement that an earlier committer did not confirm, with its reservation. */
  | ['repeat', call: number, reservation: ReservationFields | null, settlement: RepeatFields]

type AmountFields = [amount: string, revision: string]

type ReserveFields = [
  revision: string | null,
  amount: string,
  minimum: string,
  leftMs: number,
  patienceMs: number | null,
  isMeasurable: boolean,
]

/** Identifies a request: account, ID, and its arrival in milliseconds since 1970. */
export type RequestFields = [accountId: string, requestId: string, startedAt: number]

type RepeatFields = [record: RecordFields, isDelivered: boolean, isUnanswered: boolean]

/** A message of a kind. */
export type RequestOf<Kind extends Request[0]> = Extract<Request, [Kind, ...unknown[]]>
export type ReplyOf<Kind extends Reply[0]> = Extract<Reply, [Kind, ...unknown[]]>

/** A message of the committer. */
export type Reply =
  /** Accepts a connection. Each start of the committer has another ID. */
  | ['welcome', committer: string]
  | ['refused', reason: string]
  | ['beat']
  /** The result of a check, and what it reserved: the amount, and the revision under which it was granted. */
  | ['checked', call: number, result: ResultFields, reserved: AmountFields | null]
  /** The reserved amount, the revision under which it was granted, and the patience that is left. */
  | ['reserved', call: number, amount: string, revision: string, leftMs: number]
  /** The amount is not available: the request must measure its need. */
  | ['short', call: number, leftMs: number]
  | ['extended', call: number, amount: string]
  /** The charged amount of a committed settlement. */
  | ['settled', call: number, charged: string]
  | ['failed', call: number, problem: ProblemFields]
  /** A settlement that had failed because it took too long has ended, and a refund if it was due. */
  | ['over', call: number]

type ResultFields = [
  /** Null if Redis is unavailable, empty if Redis has no revision. */
  revision: string | null,
  refusedBy: RateResult['refusedBy'] | null,
  waitMs: number,
  countedAt: number,
  left: (number | null)[],
  /** The number of a late result of Redis; zero if none is due. */
  late: number,
]

type CountedFields = [isLocal: boolean, countedAt: number, late: number]

type ProblemFields = [
  name: string,
  message: string,
  retryAfterSeconds: number | null,
  shouldRetry: boolean | null,
  internal: string | null,
]

/** Returns the version of these messages: a digest of this folder and of the ledger and rates, as this process runs them. */
export function readBuild(): string {
  const hash = createHash('sha256')
  for (const folder of ['./', '../ledger/', '../rates/']) {
    const url = new URL(folder, import.meta.url)
    for (const name of readdirSync(url).sort())
      if (/(?<!\.test)\.[jt]s$/.test(name)) hash.update(name).update(readFileSync(new URL(name, url)))
  }
  return hash.digest('base64url')
}

export function rateFields({ accountId, keyId, limits, requests, tokens }: RateRequest): RateFields {
  const { burst, burstWindowMs, rpm, tph, tpd, account } = limits
  return [accountId, keyId, [burst, burstWindowMs, rpm, tph, tpd, account], requests, tokens]
}

export function rateOf([accountId, keyId, limits, requests, tokens]: RateFields): RateRequest {
  return { accountId, keyId, limits: limitsOf(limits), requests, tokens }
}

function limitsOf([burst, burstWindowMs, rpm, tph, tpd, account]: LimitFields): RateLimits {
  return { burst, burstWindowMs, rpm, tph, tpd, account }
}

export function amountFields({ amountNanos, keyRevision }: RevisedAmount): AmountFields {
  return [String(amountNanos), String(keyRevision)]
}

export function amountOf([amount, revision]: AmountFields): RevisedAmount {
  return { amountNanos: BigInt(amount), keyRevision: BigInt(revision) }
}

export function resultFields(result: RateResult, late: number): ResultFields {
  const { revision, refusedBy, waitMs, countedAt, left } = result
  const { burst, rpm, tph, tpd, account } = left
  const text = revision === null ? null : revision === undefined ? '' : String(revision)
  return [text, refusedBy ?? null, waitMs, countedAt, [burst, rpm, tph, tpd, account], late]
}

export function resultOf([revision, refusedBy, waitMs, countedAt, figures]: ResultFields): RateResult {
  const [burst = null, rpm = null, tph = null, tpd = null, account = null] = figures
  return {
    revision: revision === null ? null : revision === '' ? undefined : BigInt(revision),
    refusedBy: refusedBy ?? undefined,
    waitMs,
    countedAt,
    left: { burst, rpm, tph, tpd, account },
  }
}

export function ownerFields({ accountId, keyId, budgets }: HoldOwner): OwnerFields {
  return [accountId, keyId, budgetFields(budgets)]
}

export function ownerOf([accountId, keyId, budgets]: OwnerFields): HoldOwner {
  return { accountId, keyId, budgets: budgetsOf(budgets) }
}

export function budgetFields(budgets: HoldBudgets): BudgetFields[] | null {
  return budgets?.map(({ id, kind, key, value }) => [id, kind, key, value]) ?? null
}

export function budgetsOf(fields: BudgetFields[] | null): HoldBudgets {
  return fields?.map(([id, kind, key, value]) => ({ id, kind, key, value }))
}

export function problemFields(error: unknown): ProblemFields {
  if (!(error instanceof Problem)) return ['internal', '', null, null, String(error)]
  const { message, retryAfterSeconds = null, shouldRetry = null, internal = null } = error.details
  return [error.errorName, message ?? '', retryAfterSeconds, shouldRetry, internal]
}

export function problemOf([name, message, retryAfterSeconds, shouldRetry, internal]: ProblemFields): Problem {
  return new Problem(isErrorName(name) ? name : 'internal', {
    ...(message && { message }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    ...(shouldRetry !== null && { shouldRetry }),
    ...(internal !== null && { internal }),
  })
}
