import { allowanceTable, isResource } from '../../schema/allowances.ts'
import { type Allowances, allowanceOf, type Standing } from './allowances.ts'

/** The limit of a resource as it applies to one account. */
export interface AccountAllowance {
  resource: string
  limit: number
  unit: string
  /** The length of the limit's window, in seconds; null if the limit does not apply per window. */
  windowSeconds: number | null
  /** Whether an operator set the limit for this account. */
  isOwn: boolean
}

/** Returns the limits of an account, one row per resource. */
export function listAllowances(
  allowances: Pick<Allowances, 'table'>,
  standing: Standing,
): AccountAllowance[] {
  return Object.keys(allowanceTable)
    .filter(isResource)
    .map(resource => {
      const { unit, per } = allowances.table[resource]
      return {
        resource,
        limit: allowanceOf(allowances, standing, resource),
        unit,
        windowSeconds: typeof per === 'number' ? per : null,
        isOwn: standing.ownAllowances.has(resource),
      }
    })
}
