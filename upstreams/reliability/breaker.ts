import type { Clock } from '../../platform/clock.ts'

/** Within this time at least so many calls must have failed, and at least half of all, for a breaker to open. */
const windowMs = 10_000
const failuresToOpen = 10

/** How long it stays open at first, and at most, in milliseconds. Each failed probe doubles it. */
const firstPauseMs = 1_000
const longestPauseMs = 30_000

/**
 * Breakers, one per vendor and credential. One opens when most calls of the last seconds failed, so that a few bad
 * requests among good ones silence nobody; then calls are not made for a while, one is let through as a probe, and
 * its success closes the breaker, its failure keeps it open for longer.
 */
export interface Breakers {
  /** Milliseconds until the next call may be made; zero when it may now. A caller let through while open is the probe. */
  waitMs(name: string): number
  succeeded(name: string): void
  failed(name: string): void
}

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
  probing: boolean
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
  return {
    waitMs(name) {
      const state = states.get(name)
      if (!state || state.pauseMs === 0) return 0
      const leftMs = state.openUntil - clock.now()
      if (leftMs > 0) return leftMs
      if (state.probing) return state.pauseMs
      state.probing = true
      return 0
    },
    succeeded(name) {
      const state = stateOf(name)
      if (state.pauseMs > 0) states.set(name, closed(clock.now()))
      else state.successes += 1
    },
    failed(name) {
      const state = stateOf(name)
      state.failures += 1
      state.probing = false
      const failures = state.failures + state.failuresBefore
      const isBroken = failures >= failuresToOpen && failures >= state.successes + state.successesBefore
      if (state.pauseMs === 0 && !isBroken) return
      state.pauseMs = Math.min(state.pauseMs * 2 || firstPauseMs, longestPauseMs)
      state.openUntil = clock.now() + state.pauseMs
    },
  }
}

function closed(now: number): State {
  const none = { failures: 0, successes: 0, failuresBefore: 0, successesBefore: 0 }
  return { since: now, ...none, pauseMs: 0, openUntil: 0, probing: false }
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
