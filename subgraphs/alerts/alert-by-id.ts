import { findBalanceAlerts } from '../../domain/alerts/balance-alert-records.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { type BalanceAlert, presentBalanceAlert } from './balance-alert.ts'

const recordById = batched({
  findAll: async (context, alertIds) => {
    const { caller } = context
    if (!caller || caller.kind === 'key') return []
    return findBalanceAlerts(context, { accountId: caller.accountId, alertIds })
  },
  idOf: ({ id }) => id,
})

/** Returns the alert with this ID, or `undefined` if the account has none or the caller cannot read it. */
export async function alertById(context: SubgraphContext, id: string): Promise<BalanceAlert | undefined> {
  const record = await recordById(context, id)
  return record && presentBalanceAlert(record)
}
