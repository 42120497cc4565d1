import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { changeAlertSettings, readAlertSettings } from '../../domain/alerts/alert-settings.ts'
import { testWebhook } from '../../domain/alerts/test-webhook.ts'
import { requireManager } from '../runtime/call.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({
  description: "An account's settings for alerts. E-mails are always sent; a webhook is optional.",
})
export class AlertSettings {
  @Field(() => String, {
    nullable: true,
    description:
      'The URL for signed webhooks about balance alerts (`balance.low`), budgets of API keys (`budget.reached`) automatic top-ups that were switched off (`automatic_top_up.stopped`), and tests (`webhook.test`). `null` means that no webhooks are sent.',
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

/** The delivery of the subgraph `tasks`. */
export const CallbackDelivery = entityReference('CallbackDelivery')

@ObjectType({ description: 'The result of testing the webhook.' })
class TestAlertWebhookPayload {
  @Field(() => CallbackDelivery, {
    nullable: true,
    description: 'The delivery of the test. Read it again to see whether the receiver accepted it.',
  })
  callbackDelivery!: { id: string } | null
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

  @Mutation(() => TestAlertWebhookPayload, {
    nullable: true,
    description:
      'Sends a signed webhook of the type `webhook.test` to the URL for alerts. Fails with `conflict` if there is no URL.',
  })
  async testAlertWebhook(@Ctx() context: SubgraphContext): Promise<TestAlertWebhookPayload> {
    const { accountId } = requireManager(context)
    return { callbackDelivery: await testWebhook(context, { accountId }) }
  }
}
