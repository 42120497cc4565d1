import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { changeAlertSettings, readAlertSettings } from '../../domain/alerts/alert-settings.ts'
import { requireManager } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({ description: 'How the account is told of its alerts, besides by e-mail.' })
export class AlertSettings {
  @Field(() => String, {
    nullable: true,
    description:
      'Where signed webhooks of balance alerts (`balance.low`) and of budgets of keys (`budget.reached`) go; null is nowhere.',
  })
  webhookUrl!: string | null
}

@InputType({ description: 'What is to change; what is left out stays.' })
class UpdateAlertSettingsInput {
  @Field(() => String, {
    nullable: true,
    description:
      'An HTTPS address that is public, of at most 2,048 characters; null sends no webhooks any more.',
  })
  webhookUrl?: string | null
}

@ObjectType({ description: 'The settings as they are now.' })
class UpdateAlertSettingsPayload {
  @Field(() => AlertSettings, { description: 'The settings.' })
  alertSettings!: AlertSettings
}

@Resolver(() => AlertSettings)
export class AlertSettingsResolver {
  @Mutation(() => UpdateAlertSettingsPayload, {
    nullable: true,
    description: 'Changes how the account is told of its alerts.',
  })
  async updateAlertSettings(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateAlertSettingsInput, { description: 'What is to change.' })
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
