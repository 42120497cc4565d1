import type { Report, Role } from './messages.ts'

/** A worker that serves, with its latest report. */
export interface Candidate extends Report {
  id: number
}

/** Which workers accept connections. */
export interface Plan {
  /** The IDs of the active workers, in the order in which they became active. The others accept no connections. */
  active: readonly number[]
  /** Since when one active worker fewer would be enough, in milliseconds; undefined if it would not. */
  calmSinceMs: number | undefined
  roles: ReadonlyMap<number, Role>
}

/** The plan before any worker serves. */
export const noPlan: Plan = { active: [], calmSinceMs: undefined, roles: new Map() }

/** Maximum mean fullness of the remaining workers for which the last active worker stops accepting connections. */
const calmFullness = 0.6

/** How long the load must be that low, in milliseconds. */
const calmMs = 10_000

/** Number of reports over which a busy worker ends the connections that it has in excess of the others. */
const movingReports = 20

/**
 * Returns the next plan (docs/decisions/2026-11-26-one-committer-per-machine.md). One worker accepts connections until it
 * is busy, then one more. A busy worker accepts none while another active worker is not busy, and ends some connections, so
 * that they move. When the load has been low for ten seconds, the last active worker stops accepting, and ends its
 * connections. An active worker that is no longer among the candidates is replaced at once.
 */
export function assignRoles(previous: Plan, candidates: readonly Candidate[], nowMs: number): Plan {
  if (candidates.length === 0) return previous
  const active = chooseActive(previous, candidates)
  const fullness = active.reduce((sum, worker) => sum + worker.fullness, 0)
  const isCalm = active.length > 1 && fullness <= calmFullness * (active.length - 1)
  let calmSinceMs = isCalm ? (previous.calmSinceMs ?? nowMs) : undefined
  if (calmSinceMs !== undefined && nowMs - calmSinceMs >= calmMs) {
    active.pop()
    calmSinceMs = undefined
  }
  const areAllBusy = active.every(isBusy)
  const meanFullness = fullness / active.length
  const roleOf = (worker: Candidate): Role => {
    if (!active.includes(worker))
      return { accepts: false, acceptsWhileBusy: false, connectionsToEnd: worker.connections }
    const accepts = areAllBusy || !isBusy(worker)
    return {
      accepts,
      acceptsWhileBusy: areAllBusy,
      connectionsToEnd: accepts ? 0 : connectionsInExcess(worker, meanFullness),
    }
  }
  return {
    active: active.map(({ id }) => id),
    calmSinceMs,
    roles: new Map(candidates.map(worker => [worker.id, roleOf(worker)])),
  }
}

/** Returns as many workers as before, and more if all of them are busy. */
function chooseActive(previous: Plan, candidates: readonly Candidate[]): Candidate[] {
  const remaining = previous.active.flatMap(id => candidates.find(candidate => candidate.id === id) ?? [])
  const others = candidates.filter(candidate => !remaining.includes(candidate))
  const active = [...remaining]
  for (const other of others)
    if (active.length < Math.max(1, previous.active.length) || active.every(isBusy)) active.push(other)
  return active
}

function isBusy({ fullness }: Report): boolean {
  return fullness >= 1
}

function connectionsInExcess({ fullness, connections }: Report, meanFullness: number): number {
  return Math.ceil((connections * (1 - meanFullness / fullness)) / movingReports)
}
