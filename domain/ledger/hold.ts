/**
 * The one hold of a key in this process: its row in `holds`, and what requests in flight have reserved of it.
 * `amountNanos` is what the row says, or will say once the statement in flight has committed.
 */
export interface Hold {
  readonly id: string
  readonly accountId: string
  readonly keyId: string
  amountNanos: bigint
  reservedNanos: bigint
  /** The `in_use_nanos` last written to the row. */
  shownNanos: bigint
  /** How much room ahead of need the balance and the cap allow; told by each growth. */
  roomLimitNanos: bigint
  /** How much room the last growth asked for, and when: a hold that grows often grows in larger steps. */
  lastAheadNanos: bigint
  lastGrowthAt: number
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
  whenShort: (() => Amounts) | undefined
  since: number
  grant(amountNanos: bigint): void
  refuse(error: Error): void
}

/** Money reserved for one request in flight: settle it exactly once. */
export interface Reservation {
  readonly hold: Hold
  amountNanos: bigint
}

/** What of the hold nobody has reserved; negative when the row lapsed under requests in flight. */
export function freeNanos(hold: Hold): bigint {
  return hold.amountNanos - hold.reservedNanos
}

/** What those who wait need beyond what is free. */
export function needNanos(hold: Hold): bigint {
  return waitingNanos(hold) - freeNanos(hold)
}

/** All that is reserved or waited for. */
export function demandNanos(hold: Hold): bigint {
  return hold.reservedNanos + waitingNanos(hold)
}

/**
 * Room to keep when money comes back: as much as the last growth allowed where that is more than one hold's
 * demand, nothing near the limit (decisions: `held` as shown).
 */
export function roomToKeepNanos(hold: Hold, recentNeedNanos: bigint): bigint {
  const free = freeNanos(hold)
  if (free <= 0n || hold.roomLimitNanos < recentNeedNanos) return 0n
  return free < hold.roomLimitNanos ? free : hold.roomLimitNanos
}

function waitingNanos(hold: Hold): bigint {
  let sum = 0n
  for (const waiter of hold.waiters) sum += waiter.amountNanos
  return sum
}
