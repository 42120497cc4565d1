import { Arg, Ctx, Field, FieldResolver, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import {
  type AutomaticTopUp as AutomaticTopUpRow,
  readAutomaticTopUp,
  type StopReason,
} from '../../domain/automatic-top-ups/automatic-top-up.ts'
import { changeAutomaticTopUp } from '../../domain/automatic-top-ups/change-automatic-top-up.ts'
import { requireManager } from '../runtime/call.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Account } from './account.ts'

const AutomaticTopUpStopReason = graphEnum<StopReason>('AutomaticTopUpStopReason', {
  description: 'Why automatic top-ups were switched off.',
  values: {
    declined: 'The saved card was declined three times in a row, or can never be charged again.',
    authentication_required:
      'The bank requires the cardholder. A payment on the page in the e-mail switches automatic top-ups on again.',
    card_removed: 'The saved card was removed.',
  },
})

@ObjectType({
  description: "The automatic top-up of an account's credits with its saved card.",
})
export class AutomaticTopUp {
  @Field(() => Boolean, { description: 'Whether the saved card is charged automatically.' })
  isEnabled!: boolean

  @Field(() => Money, {
    description: 'The amount of available credits, in US dollars, below which a top-up starts.',
  })
  threshold!: bigint

  @Field(() => Money, { description: 'The amount of each top-up, in US dollars, without tax.' })
  amount!: bigint

  @Field(() => Money, {
    description: 'The maximum amount of all automatic top-ups of a day (UTC), in US dollars, without tax.',
  })
  dailyMaximum!: bigint

  @Field(() => AutomaticTopUpStopReason, {
    nullable: true,
    description: 'Why the service switched automatic top-ups off. `null` if it did not.',
  })
  stopReason!: StopReason | null

  @Field(() => DateTime, {
    nullable: true,
    description:
      'The earliest time of the next top-up, after a decline or when the daily maximum is reached. `null` if a top-up can start now.',
  })
  retryAt!: Date | null
}

function presentAutomaticTopUp(row: AutomaticTopUpRow): AutomaticTopUp {
  const { isOn, thresholdNanos, amountNanos, dailyMaxNanos, stopReason, retryAt } = row
  const amounts = { threshold: thresholdNanos, amount: amountNanos, dailyMaximum: dailyMaxNanos }
  return { isEnabled: isOn, ...amounts, stopReason, retryAt }
}

@InputType({ description: 'The values to change. Omitted values are not changed.' })
class UpdateAutomaticTopUpInput {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the saved card is charged automatically. Requires a saved card.',
  })
  isEnabled?: boolean | null

  @Field(() => Money, {
    nullable: true,
    description:
      'The amount of available credits, in US dollars, below which a top-up starts: 1 to 10,000. Initially 10.',
  })
  threshold?: bigint | null

  @Field(() => Money, {
    nullable: true,
    description:
      'The amount of each top-up, in US dollars, without tax: 1 to 10,000, with at most two decimal places. Initially 50.',
  })
  amount?: bigint | null

  @Field(() => Money, {
    nullable: true,
    description:
      'The maximum amount of all automatic top-ups of a day (UTC), in US dollars, without tax: at least `amount`, at most 100,000. Initially 200.',
  })
  dailyMaximum?: bigint | null
}

@ObjectType({ description: 'The result of changing the automatic top-up.' })
class UpdateAutomaticTopUpPayload {
  @Field(() => AutomaticTopUp, { description: 'The automatic top-up after the change.' })
  automaticTopUp!: AutomaticTopUp
}

@Resolver(() => Account)
export class AutomaticTopUpResolver {
  @FieldResolver(() => AutomaticTopUp, {
    nullable: true,
    description: "The automatic top-up of the account's credits.",
  })
  async automaticTopUp(@Ctx() context: SubgraphContext): Promise<AutomaticTopUp> {
    const { accountId } = requireManager(context)
    return presentAutomaticTopUp(await readAutomaticTopUp(context, { accountId }))
  }

  @Mutation(() => UpdateAutomaticTopUpPayload, {
    nullable: true,
    description:
      "Changes the automatic top-up of the account's credits. If the available credits are below the threshold, a top-up starts at once.",
  })
  async updateAutomaticTopUp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateAutomaticTopUpInput, { description: 'The values to change.' })
    { isEnabled, threshold, amount, dailyMaximum }: UpdateAutomaticTopUpInput,
  ): Promise<UpdateAutomaticTopUpPayload> {
    const { accountId } = requireManager(context)
    const changed = await changeAutomaticTopUp(context, {
      accountId,
      change: {
        isOn: isEnabled ?? undefined,
        thresholdNanos: threshold ?? undefined,
        amountNanos: amount ?? undefined,
        dailyMaxNanos: dailyMaximum ?? undefined,
      },
      action: context.action,
    })
    return { automaticTopUp: presentAutomaticTopUp(changed) }
  }
}
