import { accountWindowName, answerLength, revisionName, windowsName } from './rate-script.ts'
import {
  areSameLimits,
  maxCount,
  type RateLimits,
  type RateRequest,
  type RateResult,
  windowNames,
} from './window.ts'

/** Requests of one key with the same amounts, in order of arrival: one entry of the script. */
export interface Alike {
  request: RateRequest
  /** Their positions among all checked requests. */
  turns: number[]
}

/**
 * Groups consecutive requests of a key with the same amounts, which keeps the order of admission. A busy key then costs
 * no more than a quiet one. The first request of each group represents the group.
 */
export function groupAlike(requests: readonly RateRequest[]): Alike[] {
  const groups: Alike[] = []
  const newest = new Map<string, Alike>() // of each key
  for (let turn = 0; turn < requests.length; turn++) {
    const request = requests[turn]!
    const group = newest.get(request.keyId)
    if (group && countsAlike(group.request, request)) group.turns.push(turn)
    else {
      const begun = { request, turns: [turn] }
      groups.push(begun)
      newest.set(request.keyId, begun)
    }
  }
  return groups
}

function countsAlike(one: RateRequest, other: RateRequest): boolean {
  const { limits } = one
  if (one.accountId !== other.accountId || one.requests !== other.requests) return false
  if (one.tokens !== other.tokens && (limits.tph !== null || limits.tpd !== null)) return false
  return areSameLimits(limits, other.limits)
}

/** Returns the names and arguments of the rate script. Counts of requests that were admitted elsewhere (`forced`) come first. */
export function argumentsOf(
  groups: readonly Alike[],
  prefix: string,
  forced: readonly Forced[] = [],
): { names: string[]; args: number[] } {
  const names: string[] = []
  const args: number[] = []
  for (const { accountId, keyId, amounts } of forced) {
    addNames(names, { accountId, keyId, prefix })
    addFigures(args, { count: -1, limits: amounts, requests: 0, tokens: 0 })
  }
  for (const { request, turns } of groups) {
    addNames(names, { ...request, prefix })
    addFigures(args, { ...request, count: turns.length })
  }
  return { names, args }
}

/** The counts of a key's requests that this process admitted while Redis did not respond. */
export interface Forced {
  accountId: string
  keyId: string
  /** The amount in each window, in place of its limit. */
  amounts: RateLimits
}

function addNames(
  names: string[],
  { accountId, keyId, prefix }: { accountId: string; keyId: string; prefix: string },
): void {
  names.push(revisionName(prefix, accountId, keyId), windowsName(prefix, accountId, keyId))
  names.push(accountWindowName(prefix, accountId))
}

function addFigures(
  args: number[],
  entry: { count: number; limits: RateLimits; requests: number; tokens: number },
): void {
  const { burst, burstWindowMs, rpm, tph, tpd, account } = entry.limits
  args.push(entry.count, burst, burstWindowMs, rpm ?? -1, tph ?? -1, tpd ?? -1, account ?? -1)
  args.push(entry.requests, Math.min(entry.tokens, maxCount))
}

/**
 * Converts the script's response to one result per request, in their order. The first `forcedCount` entries have no
 * request. Throws if the response has another shape.
 */
export function resultsOf(groups: readonly Alike[], answer: unknown, forcedCount = 0): RateResult[] {
  if (!Array.isArray(answer) || answer.length !== (forcedCount + groups.length) * answerLength + 1)
    throw new Error('the rate script answered no list of the right length')
  const figures = answer.map(Number)
  const countedAt = figures[figures.length - 1]!
  const results: RateResult[] = []
  for (let at = 0; at < groups.length; at++) {
    const { request, turns } = groups[at]!
    const entry = readEntry(figures, (forcedCount + at) * answerLength)
    for (let place = 0; place < turns.length; place++)
      results[turns[place]!] = resultOf(entry, { request, place, countedAt })
  }
  return results
}

/** The script's result for one entry. */
interface Entry {
  revision: bigint | undefined
  admitted: number
  refusedBy: RateResult['refusedBy']
  waitMs: number
  /** The remaining amounts after all requests of the entry. */
  left: RateResult['left']
}

function readEntry(figures: readonly number[], at: number): Entry {
  const revision = figures[at]!
  return {
    revision: revision === -1 ? undefined : BigInt(revision),
    admitted: figures[at + 1]!,
    refusedBy: windowNames[figures[at + 2]! - 1],
    waitMs: figures[at + 3]!,
    left: {
      burst: leftOf(figures[at + 4]!),
      rpm: leftOf(figures[at + 5]!),
      tph: leftOf(figures[at + 6]!),
      tpd: leftOf(figures[at + 7]!),
      account: leftOf(figures[at + 8]!),
    },
  }
}

/** Returns the remaining amount of a window; null if it has no limit. */
function leftOf(figure: number): number | null {
  return figure === -1 ? null : figure
}

/** Returns the result of one request of a group. The later requests of the group do not count in it yet. */
function resultOf(
  { revision, admitted, refusedBy, waitMs, left }: Entry,
  { request, place, countedAt }: { request: RateRequest; place: number; countedAt: number },
): RateResult {
  const behind = admitted - 1 - place
  if (behind < 0) return { revision, refusedBy, waitMs, countedAt, left }
  return { revision, refusedBy: undefined, waitMs: 0, countedAt, left: leftBefore(left, request, behind) }
}

function leftBefore(left: RateResult['left'], request: RateRequest, behind: number): RateResult['left'] {
  if (behind === 0) return left
  const requests = behind * request.requests
  const tokens = behind * Math.min(request.tokens, maxCount)
  const { burst, rpm, tph, tpd, account } = left
  return {
    burst: burst === null ? null : burst + requests,
    rpm: rpm === null ? null : rpm + requests,
    tph: tph === null ? null : tph + tokens,
    tpd: tpd === null ? null : tpd + tokens,
    account: account === null ? null : account + requests,
  }
}
