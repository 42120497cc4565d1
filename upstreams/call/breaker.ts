import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/clock.ts'
import type { BreakerState } from '../upstream-metrics.ts'
import { type Circuit, closedCircuit, isFailing, isInUse, openCircuit, openCircuits } from './circuit.ts'

/**
 * Circuit breakers. Each account has one for each credential that it uses. For the platform's credential of a vendor,
 * there is one more that all accounts share. An account's own breaker opens after its own failures and affects no other
 * account. The shared one opens only if several accounts fail, and at least half of the accounts that call: slow or
 * invalid requests of one customer must not block a vendor for others. While a breaker is open it admits no calls.
 * After its pause it admits up to eight trial calls at a time: the first success closes it, the first failure opens it
 * for a longer pause.
 */
export interface Breakers {
  /** Whether a call may be made now. If so, `record` must be called with its end. */
  acquire(call: BreakerCall): Permit
  /** Returns milliseconds until a call may be made; zero if now. Unlike `acquire`, it begins no trial. */
  waitMs(call: BreakerCall): number
  /** Counts how a permitted call ended, once. */
  record(permit: Permit, end: CallEnd): void
  /** Returns the breakers that all accounts share, and each open breaker of an account. */
  states(): BreakerState[]
}

/** A call, by its credential and account. */
export interface BreakerCall {
  /** The vendor and `platform`, or the vendor and the ID of a customer's credential. */
  credential: string
  /** The account, for a call with the platform's credential. Absent for a customer's own credential, which is not shared. */
  accountId?: string | undefined
}

export interface Permit extends BreakerCall {
  /** Of the account's own circuit. */
  name: string
  /** Milliseconds until the next request for a permit; zero if the call may be made now. */
  waitMs: number
  /** Whether the call is a trial of the account's open breaker. */
  isTrial: boolean
  /** Whether the call is a trial of the shared, open breaker. */
  isSharedTrial: boolean
}

/** `not-counted`: the vendor was not reached, or had no time to answer. It only ends the trial. */
export type CallEnd = 'succeeded' | 'failed' | 'not-counted'

/**
 * Number of accounts that must fail before the shared breaker opens, and of failed calls after which an account counts
 * as failing. Not an allowance: it keeps a few accounts from blocking a vendor for all others.
 */
const accountsToOpen = 3
const failuresPerAccount = 3

/** Maximum number of accounts that the shared breaker considers: the ones that called last. */
const maxSharedAccounts = 256

const maxCircuits = 20_000

/** Maximum number of concurrent trials. After an outage, the first requests often arrive together. */
const maxTrials = 8

/** Maximum duration of a trial, in milliseconds. A longer one no longer counts. */
const maxTrialMs = 10_000

/** The circuit of a vendor's platform credential, and the circuits of the accounts that called with it recently. */
interface SharedCircuit {
  circuit: Circuit
  accounts: LRUCache<string, Circuit>
}

export function openBreakers(clock: Clock): Breakers {
  const circuits = openCircuits(maxCircuits)
  const shared = new Map<string, SharedCircuit>()
  const sharedOf = (name: string): SharedCircuit => {
    let known = shared.get(name)
    if (!known) {
      known = {
        circuit: closedCircuit(clock.monotonic()),
        accounts: new LRUCache({ max: maxSharedAccounts }),
      }
      shared.set(name, known)
    }
    return known
  }

  return {
    states: () => [
      ...Array.from(shared, ([credential, { circuit }]) => ({
        credential,
        isShared: true,
        isOpen: circuit.pauseMs > 0,
      })),
      ...circuits.open().map(name => ({ credential: name, isShared: false, isOpen: true })),
    ],
    acquire(call) {
      const name = nameOf(call)
      const own = circuits.find(name)
      const all = call.accountId === undefined ? undefined : shared.get(call.credential)?.circuit
      const permit = { ...call, name, waitMs: 0, isTrial: false, isSharedTrial: false }
      if (!own?.pauseMs && !all?.pauseMs) return permit
      const now = clock.monotonic()
      permit.waitMs = Math.max(waitOf(own, now), waitOf(all, now, call.accountId))
      if (permit.waitMs > 0) return permit
      permit.isTrial = beginTrial(own, now)
      permit.isSharedTrial = beginTrial(all, now)
      return permit
    },
    waitMs(call) {
      const own = circuits.find(nameOf(call))
      const all = call.accountId === undefined ? undefined : shared.get(call.credential)?.circuit
      if (!own?.pauseMs && !all?.pauseMs) return 0
      const now = clock.monotonic()
      return Math.max(waitOf(own, now), waitOf(all, now, call.accountId))
    },
    record(permit, end) {
      const { accountId, credential } = permit
      const now = clock.monotonic()
      const own = circuits.get(permit.name, now)
      if (permit.isTrial) endTrial(own, { end, now })
      else count(own, { end, now })
      if (accountId === undefined) return
      const { circuit, accounts } = sharedOf(credential)
      if (permit.isSharedTrial) {
        endTrial(circuit, { end, now, accountId })
        if (end === 'succeeded') accounts.clear()
        return
      }
      if (end === 'not-counted') return
      accounts.set(accountId, own)
      // While the shared circuit is open, its trial decides.
      if (end === 'failed' && circuit.pauseMs === 0 && enoughFail(accounts, now)) openCircuit(circuit, now)
    },
  }
}

function nameOf({ credential, accountId }: BreakerCall): string {
  return accountId === undefined ? credential : `${credential} ${accountId}`
}

/** Returns milliseconds until a call may be made. The account whose trial failed last waits twice as long as others. */
function waitOf(circuit: Circuit | undefined, now: number, accountId?: string): number {
  if (!circuit || circuit.pauseMs === 0) return 0
  const hadLastTrial = accountId !== undefined && circuit.lastTrialBy === accountId
  const leftMs = circuit.openUntil + (hadLastTrial ? circuit.pauseMs : 0) - now
  if (leftMs > 0) return leftMs
  const isFull = circuit.trials >= maxTrials && circuit.trialUntil > now
  return isFull ? Math.min(circuit.pauseMs, circuit.trialUntil - now) : 0
}

/** Makes a permitted call a trial if the circuit is open. Returns whether it is one. */
function beginTrial(circuit: Circuit | undefined, now: number): boolean {
  if (!circuit || circuit.pauseMs === 0) return false
  circuit.trials = circuit.trialUntil > now ? circuit.trials + 1 : 1
  circuit.trialUntil = now + maxTrialMs
  return true
}

function endTrial(
  circuit: Circuit,
  { end, now, accountId }: { end: CallEnd; now: number; accountId?: string },
): void {
  circuit.trials = Math.max(0, circuit.trials - 1)
  if (end === 'succeeded') Object.assign(circuit, closedCircuit(now))
  // Another trial may have closed the circuit, or opened it for longer.
  if (end !== 'failed' || circuit.pauseMs === 0 || circuit.openUntil > now) return
  // A second failure of the same account reveals nothing about a shared vendor, so the pause does not change.
  const isOtherAccount = accountId === undefined || circuit.lastTrialBy !== accountId
  openCircuit(circuit, now, isOtherAccount ? 2 : 1)
  circuit.lastTrialBy = accountId
}

function count(circuit: Circuit, { end, now }: { end: CallEnd; now: number }): void {
  if (end === 'succeeded') circuit.successes += 1
  if (end === 'failed') circuit.failures += 1
  // Calls that were in progress when the circuit opened do not prolong its pause.
  if (end === 'failed' && circuit.pauseMs === 0 && isFailing(circuit)) openCircuit(circuit, now)
}

/** Whether enough of the accounts with recent calls fail. */
function enoughFail(accounts: LRUCache<string, Circuit>, now: number): boolean {
  const inUse = [...accounts.values()].filter(circuit => isInUse(circuit, now))
  const failing = inUse.filter(circuit => circuit.pauseMs > 0 || isFailing(circuit, failuresPerAccount))
  return failing.length >= accountsToOpen && failing.length * 2 >= inUse.length
}
