import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { changeAlertSettings, readAlertSettings } from '../../domain/alerts/alert-settings.ts'
import { requireManager } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({
  description: "An account's settings for alerts. E-mails are always sent; a webhook is optional.",
})
export class AlertSettings {
  @Field(() => String, {
    nullable: true,
    description:
      'The URL for signed webhooks about balance alerts (`balance.low`), budgets of API keys (`budget.reached`) and automatic top-ups that were switched off (`automatic_top_up.stopped`). `null` means that no webhooks are sent.',
  })
  webhookUrl!: string | null
}

@InputType({ description: 'The settings to change. Settings that are left out keep their value.' })
class UpdateAlertSettingsInput {
  @Field(() => String, {
    nullable: true,
    description: 'The new webhook URL: HTTPS, public, at most 2,048 characters. `null` stops webhooks.',
  })
  webhookUrl?: string | null
}

@ObjectType({ description: 'The result of updating the alert settings.' })
class UpdateAlertSettingsPayload {
  @Field(() => AlertSettings, { description: 'The updated settings.' })
  alertSettings!: AlertSettings
}

@Resolver(() => AlertSettings)
export class AlertSettingsResolver {
  @Mutation(() => UpdateAlertSettingsPayload, {
    nullable: true,
    description: "Updates the account's settings for alerts.",
  })
  async updateAlertSettings(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateAlertSettingsInput, { description: 'The settings to change.' })
    { webhookUrl }: UpdateAlertSettingsInput,
  ): Promise<UpdateAlertSettingsPayload> {
    const { accountId } = requireManager(context)
    const alertSettings =
      webhookUrl === undefined
        ? await readAlertSettings(context, { accountId })
        : await changeAlertSettings(context, { accountId, webhookUrl })
    return { alertSettings }
  }
}
