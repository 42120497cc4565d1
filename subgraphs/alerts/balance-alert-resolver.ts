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

/** Alerts are managed with a session or a provisioning key (docs/behaviour.md, Alerts). */
@Resolver(() => BalanceAlert)
export class BalanceAlertResolver {
  @Query(() => BalanceAlert, { nullable: true, description: 'One balance alert of the account.' })
  async balanceAlert(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: 'Names the alert.' }) id: string,
  ): Promise<BalanceAlert | undefined> {
    requireManager(context)
    return alertById(context, id)
  }

  @Mutation(() => CreateBalanceAlertPayload, {
    nullable: true,
    description:
      'Creates an alert. Where credits are below its threshold already it waits until they were at it.',
  })
  async createBalanceAlert(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateBalanceAlertInput, { description: 'The alert.' })
    input: CreateBalanceAlertInput,
  ): Promise<CreateBalanceAlertPayload> {
    const { accountId } = requireManager(context)
    const alert = await createBalanceAlert(context, { accountId, thresholdNanos: input.threshold })
    return { balanceAlert: presentBalanceAlert(alert) }
  }

  @Mutation(() => DeleteBalanceAlertPayload, {
    nullable: true,
    description: 'Deletes an alert: it sends nothing any more.',
  })
  async deleteBalanceAlert(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DeleteBalanceAlertInput, { description: 'Which one.' }) {
      id,
    }: DeleteBalanceAlertInput,
  ): Promise<DeleteBalanceAlertPayload> {
    const { accountId } = requireManager(context)
    await deleteBalanceAlert(context, { accountId, alertId: id })
    return { deletedBalanceAlertId: id }
  }
}
