import { Ctx, FieldResolver, Resolver } from 'type-graphql'
import { listAlertDeliveries } from '../../domain/alerts/alert-deliveries.ts'
import { readAlertSettings } from '../../domain/alerts/alert-settings.ts'
import { listBalanceAlerts } from '../../domain/alerts/balance-alert-records.ts'
import { requireManager } from '../runtime/call.ts'
import { extendedEntity } from '../runtime/entity-reference.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { AlertSettings, CallbackDelivery } from './alert-settings.ts'
import { BalanceAlert, presentBalanceAlert } from './balance-alert.ts'

/** The account of the subgraph `accounts`. This subgraph adds its alerts. */
const Account = extendedEntity('Account')

@Resolver(() => Account)
export class AccountAlertsResolver {
  @FieldResolver(() => [BalanceAlert], {
    nullable: true,
    description: "The account's balance alerts, newest first, at most 50.",
  })
  async balanceAlerts(@Ctx() context: SubgraphContext): Promise<BalanceAlert[]> {
    const { accountId } = requireManager(context)
    return (await listBalanceAlerts(context, { accountId })).map(presentBalanceAlert)
  }

  @FieldResolver(() => AlertSettings, {
    nullable: true,
    description: "The account's settings for alerts.",
  })
  async alertSettings(@Ctx() context: SubgraphContext): Promise<AlertSettings> {
    const { accountId } = requireManager(context)
    return readAlertSettings(context, { accountId })
  }

  @FieldResolver(() => [CallbackDelivery], {
    nullable: true,
    description: "The account's latest webhooks about alerts, newest first, at most 50.",
  })
  async alertDeliveries(@Ctx() context: SubgraphContext): Promise<{ id: string }[]> {
    const { accountId } = requireManager(context)
    return listAlertDeliveries(context, { accountId })
  }
}
