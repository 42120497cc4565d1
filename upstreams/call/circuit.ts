import { LRUCache } from 'lru-cache'

/** Calls are counted over this window, in milliseconds. */
const windowMs = 10_000

/** Minimum number of failed calls in a window, which must be at least half of all calls, for a circuit to open. */
const failuresToOpen = 10

/** How long a circuit stays open at first, and at most. */
const firstPauseMs = 1_000
const maxPauseMs = 30_000

/**
 * How the calls counted under one name ended lately, and until when no more are made. Times are monotonic.
 */
export interface Circuit {
  /** When the current half of the window began; `…Before` are the counts of the half before it. */
  since: number
  failures: number
  successes: number
  failuresBefore: number
  successesBefore: number
  /** Zero while the circuit is closed. */
  pauseMs: number
  openUntil: number
  /** The number of trial calls in progress. */
  trials: number
  /** When the trials in progress stop counting; zero without any. */
  trialUntil: number
  /**
   * The account whose trial failed last; undefined before any failed, and where no accounts share the
   * circuit.
   */
  lastTrialBy: string | undefined
}

/** A closed circuit without any calls. */
export function closedCircuit(now: number): Circuit {
  const noCalls = { failures: 0, successes: 0, failuresBefore: 0, successesBefore: 0 }
  return {
    since: now,
    ...noCalls,
    pauseMs: 0,
    openUntil: 0,
    trials: 0,
    trialUntil: 0,
    lastTrialBy: undefined,
  }
}

/** Opens a circuit. A circuit that was open before pauses for `factor` times its last pause. */
export function openCircuit(circuit: Circuit, now: number, factor = 1): void {
  circuit.pauseMs = Math.min(circuit.pauseMs * factor || firstPauseMs, maxPauseMs)
  circuit.openUntil = now + circuit.pauseMs
}

/** Whether at least `minFailures` calls failed, and at least half of all: a few among many are no outage. */
export function isFailing(circuit: Circuit, minFailures = failuresToOpen): boolean {
  const failures = circuit.failures + circuit.failuresBefore
  return failures >= minFailures && failures >= circuit.successes + circuit.successesBefore
}

/** Whether any call ended within the window, or the circuit is open. */
export function isInUse(circuit: Circuit, now: number): boolean {
  roll(circuit, now)
  const { failures, successes, failuresBefore, successesBefore, pauseMs } = circuit
  return pauseMs > 0 || failures + successes + failuresBefore + successesBefore > 0
}

/** Returns a store of the `maxCircuits` circuits that counted a call last, by name. */
export function openCircuits(maxCircuits: number) {
  const circuits = new LRUCache<string, Circuit>({ max: maxCircuits })
  return {
    /** The circuit of that name, if any of its calls were counted. */
    find: (name: string): Circuit | undefined => circuits.peek(name),
    /** The circuit of that name, created where there is none, without the counts of earlier windows. */
    get(name: string, now: number): Circuit {
      let circuit = circuits.get(name)
      if (circuit) roll(circuit, now)
      else {
        circuit = closedCircuit(now)
        circuits.set(name, circuit)
      }
      return circuit
    },
    get size() {
      return circuits.size
    },
  }
}

/** Forgets the counts that are older than a window, half a window at a time. */
function roll(circuit: Circuit, now: number): void {
  const age = now - circuit.since
  if (age < windowMs / 2) return
  const isWithinWindow = age < windowMs
  circuit.failuresBefore = isWithinWindow ? circuit.failures : 0
  circuit.successesBefore = isWithinWindow ? circuit.successes : 0
  circuit.failures = 0
  circuit.successes = 0
  circuit.since = now
}
