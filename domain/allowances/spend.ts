import type { NamedLimit, SharedWindows } from '../../platform/windows/shared-windows.ts'
import { openSharedWindows } from '../../platform/windows/shared-windows.ts'
import type { Allowance, Resource } from '../../schema/allowances.ts'
import type { Problem } from '../../schema/errors.ts'
import { type Allowances, allowanceOf, type Standing } from './allowances.ts'
import { allowanceExceeded } from './exceeded.ts'

/** An amount of a resource, 1 by default. */
interface Spending {
  resource: Resource
  amount?: number
}

/**
 * Counts an amount of a resource in its window, over all processes; in this process alone while Redis is unavailable.
 * An amount beyond the allowance is not counted. Throws `allowance_exceeded`.
 */
export async function spend(allowances: Allowances, standing: Standing, spending: Spending): Promise<void> {
  if (!(await trySpend(allowances, standing, spending))) throw usedUp(allowances, standing, spending.resource)
}

/** Does the same, but returns whether the amount was counted. */
export async function trySpend(
  allowances: Allowances,
  standing: Standing,
  { resource, amount = 1 }: Spending,
): Promise<boolean> {
  const limit = limitOf(allowances, standing, resource)
  const [counted] = await windowsOf(allowances, resource).count([{ ...limit, amount }])
  return counted?.isCounted ?? true
}

/** Counts one in its window, in this process alone. Returns whether it was counted. */
export function trySpendHere(allowances: Allowances, standing: Standing, resource: Resource): boolean {
  const limit = limitOf(allowances, standing, resource)
  return windowsOf(allowances, resource).here.count(limit.name, limit).isCounted
}

/** Returns the error of an account that has used up the allowance of a resource in its window. */
export function usedUp(allowances: Allowances, standing: Standing, resource: Resource): Problem {
  const { name, max } = limitOf(allowances, standing, resource)
  const { leftMs = 0 } = windowsOf(allowances, resource).here.peek(name) ?? {}
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
  return allowanceExceeded(resource, { limit: max, standing, retryAfterSeconds })
}

function limitOf(allowances: Allowances, standing: Standing, resource: Resource): NamedLimit {
  const name = `{${standing.accountId}}:allowance:${resource}`
  return { name, max: allowanceOf(allowances, standing, resource) }
}

/** Returns the windows of a resource. Resources with windows of one length share them. */
function windowsOf({ redis, prefix, table, windows }: Allowances, resource: Resource): SharedWindows {
  const { per }: Allowance = table[resource]
  if (typeof per !== 'number') throw new Error(`${resource} has no window`)
  const known = windows.get(per)
  if (known) return known
  const opened = openSharedWindows({ redis, prefix, windowMs: per * 1000 })
  windows.set(per, opened)
  return opened
}
