import type { Clock } from '../../platform/clock.ts'

/** Within this time at least so many calls must have failed, and at least half of all, for a breaker to open. */
const windowMs = 10_000
const failuresToOpen = 10

/** How long it stays open at first, and at most, in milliseconds. Each failed trial doubles it. */
const firstPauseMs = 1_000
const longestPauseMs = 30_000

/**
 * Breakers, one per vendor and credential. One opens when most calls of the last seconds failed, so that a few bad
 * requests among good ones silence nobody; then calls are not made for a while, one is let through as a trial, and
 * its success closes the breaker, its failure keeps it open for longer.
 */
export interface Breakers {
  /** Asks whether a call may be made now. Of one that may, tell how it ended. */
  ask(name: string): Leave
  /** Tells how a call that was let through ended, once. */
  tell(leave: Leave, end: CallEnd): void
}

export interface Leave {
  name: string
  /** Milliseconds until it may be asked again; zero where the call may be made now. */
  waitMs: number
  /** Let through while the breaker is open, to see whether the vendor answers again. */
  isTrial: boolean
}

/** `untold`: the vendor was not reached, or not given the time to answer. That frees the trial's place, no more. */
export type CallEnd = 'succeeded' | 'failed' | 'untold'

interface State {
  /** Calls of this window and of the one before it. */
  since: number
  failures: number
  successes: number
  failuresBefore: number
  successesBefore: number
  /** Zero while closed. */
  pauseMs: number
  openUntil: number
  onTrial: boolean
}

export function openBreakers(clock: Clock): Breakers {
  const states = new Map<string, State>()
  const stateOf = (name: string): State => {
    const now = clock.now()
    const known = states.get(name)
    const state = known ?? closed(now)
    if (!known) states.set(name, state)
    roll(state, now)
    return state
  }
  const open = (state: State) => {
    state.pauseMs = Math.min(state.pauseMs * 2 || firstPauseMs, longestPauseMs)
    state.openUntil = clock.now() + state.pauseMs
  }
  return {
    ask(name) {
      const state = states.get(name)
      if (!state || state.pauseMs === 0) return { name, waitMs: 0, isTrial: false }
      const leftMs = state.openUntil - clock.now()
      if (leftMs > 0) return { name, waitMs: leftMs, isTrial: false }
      if (state.onTrial) return { name, waitMs: state.pauseMs, isTrial: false }
      state.onTrial = true
      return { name, waitMs: 0, isTrial: true }
    },
    tell({ name, isTrial }, end) {
      const state = stateOf(name)
      if (isTrial) {
        state.onTrial = false
        if (end === 'succeeded') states.set(name, closed(clock.now()))
        if (end === 'failed') open(state)
        return
      }
      if (end === 'succeeded') state.successes += 1
      if (end === 'failed') state.failures += 1
      // While it is open the trial decides: calls that were under way when it opened say what is known already.
      if (end === 'failed' && state.pauseMs === 0 && isBroken(state)) open(state)
    },
  }
}

function closed(now: number): State {
  const none = { failures: 0, successes: 0, failuresBefore: 0, successesBefore: 0 }
  return { since: now, ...none, pauseMs: 0, openUntil: 0, onTrial: false }
}

function isBroken({ failures, failuresBefore, successes, successesBefore }: State): boolean {
  const failed = failures + failuresBefore
  return failed >= failuresToOpen && failed >= successes + successesBefore
}

/** Half a window is counted at a time: what is older than a window is forgotten. */
function roll(state: State, now: number): void {
  const age = now - state.since
  if (age < windowMs / 2) return
  const isNear = age < windowMs
  state.failuresBefore = isNear ? state.failures : 0
  state.successesBefore = isNear ? state.successes : 0
  state.failures = 0
  state.successes = 0
  state.since = now
}
