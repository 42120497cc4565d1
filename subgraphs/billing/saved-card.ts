import { Ctx, Field, FieldResolver, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql'
import { readSavedCard, removeSavedCard } from '../../domain/stripe/saved-cards.ts'
import { startSetup } from '../../domain/stripe/start-setup.ts'
import { requireManager } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Account } from './account.ts'

@ObjectType({
  description: 'The card that the payment processor has saved for an account. An account has at most one.',
})
export class SavedCard {
  @Field(() => String, { description: 'The brand, such as `visa`.' })
  brand!: string

  @Field(() => String, { description: 'The last four digits of the number.' })
  last4!: string

  @Field(() => Int, { description: 'The month in which the card expires, 1 to 12.' })
  expiryMonth!: number

  @Field(() => Int, { description: 'The year in which the card expires, such as 2031.' })
  expiryYear!: number

  @Field(() => DateTime, { description: 'When the card was saved.' })
  savedAt!: Date
}

@ObjectType({ description: 'The result of starting to save a card.' })
class StartCardSetupPayload {
  @Field(() => String, { description: "The URL of the payment processor's page, valid for 24 hours." })
  url!: string
}

@ObjectType({ description: 'The result of removing the saved card.' })
class RemoveSavedCardPayload {
  @Field(() => ID, { description: "The payment processor's ID of the removed card." })
  removedCardId!: string
}

@Resolver(() => Account)
export class SavedCardResolver {
  @FieldResolver(() => SavedCard, {
    nullable: true,
    description: 'The saved card, for automatic top-ups. `null` if none is saved.',
  })
  async savedCard(@Ctx() context: SubgraphContext): Promise<SavedCard | null> {
    const { accountId } = requireManager(context)
    return (await readSavedCard(context, { accountId })) ?? null
  }

  @Mutation(() => StartCardSetupPayload, {
    nullable: true,
    description:
      'Creates a page of the payment processor on which the user saves a card for automatic top-ups. It replaces the previous card.',
  })
  startCardSetup(@Ctx() context: SubgraphContext): Promise<StartCardSetupPayload> {
    const { accountId } = requireManager(context)
    return startSetup(context, { accountId })
  }

  @Mutation(() => RemoveSavedCardPayload, {
    nullable: true,
    description: 'Removes the saved card and switches automatic top-ups off.',
  })
  async removeSavedCard(@Ctx() context: SubgraphContext): Promise<RemoveSavedCardPayload> {
    const { accountId } = requireManager(context)
    const { id } = await removeSavedCard(context, { accountId, action: context.action })
    return { removedCardId: id }
  }
}
