/** Within this time at least so many calls must have failed, and at least half of all, for a circuit to open. */
const windowMs = 10_000
const failuresToOpen = 10

/** How long it stays open at first, and at most, in milliseconds. */
const firstPauseMs = 1_000
const longestPauseMs = 30_000

/** How the calls of somebody ended lately, and until when no more are made. Times are on the monotonic clock. */
export interface Circuit {
  /** Calls of this half of a window and of the one before it. */
  since: number
  failures: number
  successes: number
  failuresBefore: number
  successesBefore: number
  /** Zero while closed. */
  pauseMs: number
  openUntil: number
  /** A trial is under way until then at most; zero where none is. */
  trialUntil: number
  /** The account whose trial failed last; undefined where there was none, or where no accounts share the circuit. */
  lastTrialBy: string | undefined
}

/** A circuit without any calls. */
export function closeCircuit(now: number): Circuit {
  const none = { failures: 0, successes: 0, failuresBefore: 0, successesBefore: 0 }
  return { since: now, ...none, pauseMs: 0, openUntil: 0, trialUntil: 0, lastTrialBy: undefined }
}

/** Opens a circuit; one that is open already, for so many times as long as before. */
export function openCircuit(circuit: Circuit, now: number, factor = 1): void {
  circuit.pauseMs = Math.min(circuit.pauseMs * factor || firstPauseMs, longestPauseMs)
  circuit.openUntil = now + circuit.pauseMs
}

/** Whether at least so many calls failed, and at least half of all: a few bad ones among good ones are no outage. */
export function isFailing(circuit: Circuit, least = failuresToOpen): boolean {
  const failed = circuit.failures + circuit.failuresBefore
  return failed >= least && failed >= circuit.successes + circuit.successesBefore
}

/** Whether any call ended within the window, or none is made because the circuit is open. */
export function isInUse(circuit: Circuit, now: number): boolean {
  roll(circuit, now)
  const { failures, successes, failuresBefore, successesBefore, pauseMs } = circuit
  return pauseMs > 0 || failures + successes + failuresBefore + successesBefore > 0
}

/** Circuits by name; of more than `most` the oldest is forgotten. */
export function circuitsOf(most: number) {
  const circuits = new Map<string, Circuit>()
  return {
    /** The circuit of that name, if any calls were told of it. */
    find: (name: string): Circuit | undefined => circuits.get(name),
    /** The circuit of that name, with what is older than a window forgotten. */
    at(name: string, now: number): Circuit {
      let circuit = circuits.get(name)
      if (circuit) roll(circuit, now)
      else {
        if (circuits.size >= most) circuits.delete(circuits.keys().next().value!)
        circuit = closeCircuit(now)
        circuits.set(name, circuit)
      }
      return circuit
    },
    get size() {
      return circuits.size
    },
  }
}

/** Half a window is counted at a time: what is older than a window is forgotten. */
function roll(circuit: Circuit, now: number): void {
  const age = now - circuit.since
  if (age < windowMs / 2) return
  const isNear = age < windowMs
  circuit.failuresBefore = isNear ? circuit.failures : 0
  circuit.successesBefore = isNear ? circuit.successes : 0
  circuit.failures = 0
  circuit.successes = 0
  circuit.since = now
}
