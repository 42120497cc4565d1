import type { Clock } from '../../platform/clock.ts'
import { type Circuit, circuitsOf, closeCircuit, isFailing, isInUse, openCircuit } from './circuit.ts'

/**
 * Breakers: one per credential and account, and over those of the platform's credential one per vendor, which all
 * accounts share. An account's own breaker opens by its own failures and stops nobody else. The shared one opens when
 * several accounts fail, and at least half of those that call, so that no customer's slow or wrong requests close a
 * vendor to others. While one is open calls are not made; one at a time is let through as a trial, and its success
 * closes the breaker, its failure keeps it open for longer.
 */
export interface Breakers {
  /** Asks whether a call may be made now. Of one that may, record how it ended. */
  acquire(call: BreakerCall): Permit
  /** Takes in how a call that was let through ended, once. */
  record(permit: Permit, end: CallEnd): void
}

/** Whose call, with which credential. */
export interface BreakerCall {
  /** `vendor_a platform`, or a vendor and the id of a customer's credential. */
  credential: string
  /** Of a call on the platform's credential; absent for a customer's own, which nobody shares. */
  accountId?: string | undefined
}

export interface Permit extends BreakerCall {
  /** Of the account's own breaker. */
  name: string
  /** Milliseconds until it may be asked again; zero where the call may be made now. */
  waitMs: number
  /** Let through while the account's breaker is open, to see whether the vendor answers again. */
  isTrial: boolean
  /** The same for the shared breaker. */
  isSharedTrial: boolean
}

/** `not-counted`: the vendor was not reached, or not given the time to answer. That frees the trial's place, no more. */
export type CallEnd = 'succeeded' | 'failed' | 'not-counted'

/** So many accounts must fail for the shared breaker to open, each with so many calls at least. */
const accountsToOpen = 3
const failuresToVote = 3

/** Of the accounts that call a vendor so many are looked at, the latest. */
const mostVoters = 256

const mostCircuits = 20_000

/** A vendor's, for all accounts. */
interface Shared {
  circuit: Circuit
  /** The circuits of the accounts that called lately. */
  voters: Map<string, Circuit>
}

export function openBreakers(clock: Clock): Breakers {
  const circuits = circuitsOf(mostCircuits)
  const shared = new Map<string, Shared>()
  const sharedOf = (name: string): Shared => {
    let known = shared.get(name)
    if (!known) {
      known = { circuit: closeCircuit(clock.monotonic()), voters: new Map() }
      shared.set(name, known)
    }
    return known
  }

  return {
    acquire(call) {
      const name = nameOf(call)
      const own = circuits.find(name)
      const all = call.accountId === undefined ? undefined : shared.get(call.credential)?.circuit
      const permit = { ...call, name, waitMs: 0, isTrial: false, isSharedTrial: false }
      if (!own?.pauseMs && !all?.pauseMs) return permit
      const now = clock.monotonic()
      permit.waitMs = Math.max(waitOf(own, now), waitOf(all, now, call.accountId))
      if (permit.waitMs > 0) return permit
      permit.isTrial = begin(own, now)
      permit.isSharedTrial = begin(all, now)
      return permit
    },
    record(permit, end) {
      const { accountId, credential } = permit
      const now = clock.monotonic()
      const own = circuits.at(permit.name, now)
      if (permit.isTrial) endTrial(own, { end, now })
      else count(own, { end, now })
      if (accountId === undefined) return
      const { circuit, voters } = sharedOf(credential)
      if (permit.isSharedTrial) {
        endTrial(circuit, { end, now, accountId })
        if (end === 'succeeded') voters.clear()
        return
      }
      if (end === 'not-counted') return
      enlist(voters, accountId, own)
      // While it is open the trial decides.
      if (end === 'failed' && circuit.pauseMs === 0 && mostFail(voters, now)) openCircuit(circuit, now)
    },
  }
}

function nameOf({ credential, accountId }: BreakerCall): string {
  return accountId === undefined ? credential : `${credential} ${accountId}`
}

/** Milliseconds until a call may be made: whose trial failed waits for twice as long, so that others have theirs. */
function waitOf(circuit: Circuit | undefined, now: number, accountId?: string): number {
  if (!circuit || circuit.pauseMs === 0) return 0
  const isAgain = accountId !== undefined && circuit.lastTrialBy === accountId
  const leftMs = circuit.openUntil + (isAgain ? circuit.pauseMs : 0) - now
  if (leftMs > 0) return leftMs
  return circuit.trialUntil > now ? Math.min(circuit.pauseMs, circuit.trialUntil - now) : 0
}

/** A trial that takes longer keeps nobody else from theirs, in milliseconds. */
const longestTrialMs = 10_000

/** Whether a call that may be made is a trial; takes its place. */
function begin(circuit: Circuit | undefined, now: number): boolean {
  if (!circuit || circuit.pauseMs === 0) return false
  circuit.trialUntil = now + longestTrialMs
  return true
}

function endTrial(
  circuit: Circuit,
  { end, now, accountId }: { end: CallEnd; now: number; accountId?: string },
): void {
  circuit.trialUntil = 0
  if (end === 'succeeded') Object.assign(circuit, closeCircuit(now))
  if (end !== 'failed' || circuit.pauseMs === 0) return
  // One account that fails again and again says nothing new of a vendor that all share.
  const isNews = accountId === undefined || circuit.lastTrialBy !== accountId
  openCircuit(circuit, now, isNews ? 2 : 1)
  circuit.lastTrialBy = accountId
}

function count(circuit: Circuit, { end, now }: { end: CallEnd; now: number }): void {
  if (end === 'succeeded') circuit.successes += 1
  if (end === 'failed') circuit.failures += 1
  // While it is open the trial decides: calls that were under way when it opened say what is known already.
  if (end === 'failed' && circuit.pauseMs === 0 && isFailing(circuit)) openCircuit(circuit, now)
}

function enlist(voters: Map<string, Circuit>, accountId: string, own: Circuit): void {
  if (voters.get(accountId) === own) return
  if (voters.size >= mostVoters) voters.delete(voters.keys().next().value!)
  voters.set(accountId, own)
}

/** Whether enough accounts fail, of those that called lately. */
function mostFail(voters: Map<string, Circuit>, now: number): boolean {
  let failing = 0
  for (const [accountId, circuit] of voters) {
    if (!isInUse(circuit, now)) voters.delete(accountId)
    else if (circuit.pauseMs > 0 || isFailing(circuit, failuresToVote)) failing += 1
  }
  return failing >= accountsToOpen && failing * 2 >= voters.size
}
