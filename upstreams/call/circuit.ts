import { LRUCache } from 'lru-cache'

/** Length of the window in which calls are counted, in milliseconds. */
const windowMs = 10_000

/** Minimum number of failed calls in a window, which must be at least half of all calls, for a circuit to open. */
const failuresToOpen = 10

/** Initial and maximum duration of an open circuit, in milliseconds. */
const firstPauseMs = 1_000
const maxPauseMs = 30_000

/**
 * The recent outcomes of the calls that are counted under one name, and when the next call may be made. Times are
 * monotonic.
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
   * The account whose trial failed last; undefined before the first failure, and if accounts do not share the circuit.
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

/**
 * Whether at least `minFailures` calls, and at least half of all calls, failed. A few failures among many calls are no
 * outage.
 */
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

/** Returns a store of circuits by name. It keeps the `maxCircuits` circuits that were used last. */
export function openCircuits(maxCircuits: number) {
  const circuits = new LRUCache<string, Circuit>({ max: maxCircuits })
  return {
    /** Returns the circuit of a name, or undefined if none of its calls were counted. */
    find: (name: string): Circuit | undefined => circuits.peek(name),
    /** Returns the circuit of a name without the counts of earlier windows. Creates it if it does not exist. */
    get(name: string, now: number): Circuit {
      let circuit = circuits.get(name)
      if (circuit) roll(circuit, now)
      else {
        circuit = closedCircuit(now)
        circuits.set(name, circuit)
      }
      return circuit
    },
    /** Returns the names of the circuits that are open. */
    open: (): string[] =>
      Array.from(circuits.entries()).flatMap(([name, { pauseMs }]) => (pauseMs > 0 ? [name] : [])),
    get size() {
      return circuits.size
    },
  }
}

/** Drops the counts that are older than a window, half a window at a time. */
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
