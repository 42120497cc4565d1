import type { Clock } from '../../platform/clock.ts'

/** Failures in a row that open a breaker. */
const failuresToOpen = 5

/** How long it stays open at first, and at most, in milliseconds. Each failed probe doubles it. */
const firstPauseMs = 1_000
const longestPauseMs = 30_000

/**
 * Breakers, one per vendor and credential: after failures in a row calls are not made for a while, then one is let
 * through as a probe; its success closes the breaker, its failure keeps it open for longer.
 */
export interface Breakers {
  /** Milliseconds until the next call may be made; zero when it may now. A caller let through while open is the probe. */
  waitMs(name: string): number
  succeeded(name: string): void
  failed(name: string): void
}

interface State {
  failures: number
  pauseMs: number
  openUntil: number
  probing: boolean
}

export function openBreakers(clock: Clock): Breakers {
  const states = new Map<string, State>()
  return {
    waitMs(name) {
      const state = states.get(name)
      if (!state || state.failures < failuresToOpen) return 0
      const leftMs = state.openUntil - clock.now()
      if (leftMs > 0) return leftMs
      if (state.probing) return state.pauseMs
      state.probing = true
      return 0
    },
    succeeded: name => void states.delete(name),
    failed(name) {
      const state = states.get(name) ?? {
        failures: 0,
        pauseMs: firstPauseMs / 2,
        openUntil: 0,
        probing: false,
      }
      states.set(name, state)
      state.failures += 1
      state.probing = false
      if (state.failures < failuresToOpen) return
      state.pauseMs = Math.min(state.pauseMs * 2, longestPauseMs)
      state.openUntil = clock.now() + state.pauseMs
    },
  }
}
