import { type Allowance, allowanceTable, type Resource } from '../../schema/allowances.ts'
import { Problem } from '../../schema/errors.ts'
import type { Standing } from './allowances.ts'

/** Returns the error of an account that has used up an allowance. `limit` is the account's limit of the resource. */
export function allowanceExceeded(
  resource: Resource,
  { limit, standing, retryAfterSeconds }: { limit: number; standing: Standing; retryAfterSeconds: number },
): Problem {
  const { unit, per }: Allowance = allowanceTable[resource]
  const span = typeof per === 'number' ? ` in ${per} seconds` : per === 'process' ? ' at the same time' : ''
  const hint =
    standing.isPaying || standing.ownAllowances.has(resource) ? '' : ' Accounts that have paid get more.'
  return new Problem('allowance_exceeded', {
    param: resource,
    retryAfterSeconds,
    message: `The account's allowance of ${resource} is used up (${limit} ${unit}${span}). Retry after ${retryAfterSeconds} s.${hint}`,
  })
}
