import type { Subgraph } from '../runtime/subgraph.ts'
import { AccountAlertsResolver } from './account.ts'
import { alertById } from './alert-by-id.ts'
import { AlertSettingsResolver } from './alert-settings.ts'
import { BalanceAlertResolver } from './balance-alert-resolver.ts'

/** Balance alerts and their settings (domain/alerts). */
export const subgraph: Subgraph = {
  name: 'alerts',
  resolvers: [AccountAlertsResolver, BalanceAlertResolver, AlertSettingsResolver],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
    BalanceAlert: alertById,
  },
}
