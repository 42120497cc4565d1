/**
 * The one hold of a key in this process: its row in `holds`, and what requests in flight have reserved of it.
 * `amountNanos` is what the row says, or will say once the statement in flight has committed.
 */
export interface Hold {
  /** Another one after the hold lapsed: its old row is never taken for the new one. */
  id: string
  readonly accountId: string
  readonly keyId: string
  /** The latest revision of the key that a request of this process knew. */
  revision: bigint
  /** Whether the free amount was granted under an earlier revision. It serves no request, and is given back. */
  isStale: boolean
  amountNanos: bigint
  /** What the row says, as far as this process knows. */
  rowNanos: bigint
  reservedNanos: bigint
  /** The reservations that the row was last told of. */
  shownNanos: bigint
  /** How much headroom of need the balance and the cap allow; told by each growth. */
  maxHeadroomNanos: bigint
  /** How much headroom the last growth asked for, and when: a hold that grows often grows in larger steps. */
  lastAheadNanos: bigint
  lastGrowthAt: number
  /** When the last growth was answered. */
  answeredAt: number
  /** What the last growth found too little of, while requests wait for money that others have in flight. */
  shortOf: 'balance' | 'cap' | undefined
  /** Where it was short it asks again after so long, in milliseconds: at once where requests were measured. */
  restMs: number
  retry: NodeJS.Timeout | undefined
  /** The timer that refuses requests for which Postgres has no answer in time, and when it runs. */
  lateCheck: NodeJS.Timeout | undefined
  lateCheckAt: number
  /** When a refusal for want of the key's cap was told last, by the monotonic clock. */
  capToldAt: number
  /** Requests that wait for growth, first come first served. */
  waiters: Waiter[]
  /** A statement to grow it is queued. */
  growing: boolean
  usedAt: number
}

/** What a request wants of a hold. */
export interface Amounts {
  /** What it may cost at most. */
  amountNanos: bigint
  /** What is enough to begin with, where balance or cap cannot cover all of it; equal means all or nothing. */
  minimumNanos: bigint
}

export interface Waiter extends Amounts {
  /** Any growth helps: the hold lapsed, and this one backs what is in flight as far as there is money. */
  backsTheHold: boolean
  /** Looks at the amounts more closely: once, where there is too little. */
  whenShort: (() => Amounts) | undefined
  /** By the monotonic clock, like the next. */
  since: number
  /** Until when it waits for the first answer of Postgres. */
  answerBy: number
  /** Until when it waits for money that other requests hold. */
  patientUntil: number
  grant(amountNanos: bigint): void
  refuse(error: Error): void
}

/** Money reserved for one request in flight: settle it exactly once. */
export interface Reservation {
  hold: Hold
  amountNanos: bigint
  /** The revision of the key under which it was granted. */
  revision: bigint
  /** While it is reserved again because the key changed. */
  renewing?: Promise<void>
}

/** What of the hold nobody has reserved; negative when the row lapsed under requests in flight. */
export function freeNanos(hold: Hold): bigint {
  return hold.amountNanos - hold.reservedNanos
}

/**
 * Makes a hold follow its key: a request knows `revision`. Limits may have been lowered since the free amount was
 * granted, so that must be granted again.
 */
export function followRevision(hold: Hold, revision: bigint | undefined): void {
  if (revision === undefined || revision <= hold.revision) return
  hold.revision = revision
  hold.isStale = true
}

/** Takes the free amount out of a stale hold; its row follows with the batch that is assembled. */
export function dropStale(hold: Hold): void {
  if (!hold.isStale) return
  hold.isStale = false
  hold.maxHeadroomNanos = 0n
  const free = freeNanos(hold)
  if (free > 0n) hold.amountNanos -= free
}

/** What those who wait need beyond what is free. */
export function needNanos(hold: Hold): bigint {
  return waitingNanos(hold) - freeNanos(hold)
}

/** Less than this, beyond what is free, helps nobody who waits. */
export function minNeedNanos(hold: Hold): bigint {
  let least: bigint | undefined
  for (const { minimumNanos, backsTheHold } of hold.waiters) {
    if (backsTheHold) return 0n
    if (least === undefined || minimumNanos < least) least = minimumNanos
  }
  const need = (least ?? 0n) - freeNanos(hold)
  return need > 0n ? need : 0n
}

/** All that is reserved or waited for. */
export function demandNanos(hold: Hold): bigint {
  return hold.reservedNanos + waitingNanos(hold)
}

/**
 * Headroom to keep when money comes back: as much as the last growth allowed where that is more than one
 * hold's demand, nothing near the limit (docs/behaviour.md, Money).
 */
export function headroomToKeepNanos(hold: Hold, recentNeedNanos: bigint): bigint {
  const free = freeNanos(hold)
  if (free <= 0n || hold.maxHeadroomNanos < recentNeedNanos) return 0n
  return free < hold.maxHeadroomNanos ? free : hold.maxHeadroomNanos
}

function waitingNanos(hold: Hold): bigint {
  let sum = 0n
  for (const waiter of hold.waiters) sum += waiter.amountNanos
  return sum
}
