import type { Allowances, Standing } from '../../domain/allowances/allowances.ts'
import { standingOf } from '../../domain/allowances/standing.ts'
import { widestNetworkOf } from '../../platform/http/addresses.ts'
import { type Call, operatorOf } from '../../subgraphs/runtime/call.ts'

/**
 * Returns the standing that limits a call. Callers are limited by their account. Operators count as paying accounts, also
 * when they view an account.
 * Requests without a valid token are limited by their network, as an account that never paid.
 */
export async function standingOfCall(allowances: Allowances, call: Call): Promise<Standing> {
  const operator = operatorOf(call)
  if (call.caller && !operator) return standingOf(allowances, call.caller.accountId)
  const id = operator ? `operator ${operator.name}` : `network ${widestNetworkOf(call.address)}`
  return { accountId: id, isPaying: operator !== undefined, ownAllowances: new Map() }
}
