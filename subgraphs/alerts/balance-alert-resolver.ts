import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { createBalanceAlert, deleteBalanceAlert } from '../../domain/alerts/change-balance-alerts.ts'
import { requireManager } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { alertById } from './alert-by-id.ts'
import {
  BalanceAlert,
  CreateBalanceAlertInput,
  CreateBalanceAlertPayload,
  DeleteBalanceAlertInput,
  DeleteBalanceAlertPayload,
  presentBalanceAlert,
} from './balance-alert.ts'

/** Balance alerts. Managing them requires a session or a provisioning key (docs/behaviour.md, Alerts). */
@Resolver(() => BalanceAlert)
export class BalanceAlertResolver {
  @Query(() => BalanceAlert, { nullable: true, description: 'Returns a balance alert of the account.' })
  async balanceAlert(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The alert's ID." }) id: string,
  ): Promise<BalanceAlert | undefined> {
    requireManager(context)
    return alertById(context, id)
  }

  @Mutation(() => CreateBalanceAlertPayload, {
    nullable: true,
    description:
      "Creates a balance alert. If the account's credits are already below the threshold, the alert cannot fire until they have reached it again.",
  })
  async createBalanceAlert(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateBalanceAlertInput, { description: 'The alert to create.' })
    input: CreateBalanceAlertInput,
  ): Promise<CreateBalanceAlertPayload> {
    const { accountId } = requireManager(context)
    const alert = await createBalanceAlert(context, { accountId, thresholdNanos: input.threshold })
    return { balanceAlert: presentBalanceAlert(alert) }
  }

  @Mutation(() => DeleteBalanceAlertPayload, {
    nullable: true,
    description: 'Deletes a balance alert. It sends no more notifications.',
  })
  async deleteBalanceAlert(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DeleteBalanceAlertInput, { description: 'The alert to delete.' }) {
      id,
    }: DeleteBalanceAlertInput,
  ): Promise<DeleteBalanceAlertPayload> {
    const { accountId } = requireManager(context)
    await deleteBalanceAlert(context, { accountId, alertId: id })
    return { deletedBalanceAlertId: id }
  }
}
