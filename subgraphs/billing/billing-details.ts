import { Ctx, Field, FieldResolver, Mutation, ObjectType, Resolver } from 'type-graphql'
import { openBillingPortal, readBillingDetails } from '../../domain/stripe/billing-details.ts'
import { requireManager } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Account } from './account.ts'

@ObjectType({ description: 'The billing details that the payment processor has of an account.' })
export class BillingDetails {
  @Field(() => String, { nullable: true, description: 'The name on invoices, or `null`.' })
  name!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The e-mail address for receipts and invoices, or `null`.',
  })
  email!: string | null

  @Field(() => [String], {
    description: "The lines of the address. The last line is the country's code. Empty without an address.",
  })
  address!: string[]

  @Field(() => [String], { description: 'The tax IDs, such as VAT numbers.' })
  taxIds!: string[]
}

@ObjectType({ description: 'The result of opening the billing portal.' })
class OpenBillingPortalPayload {
  @Field(() => String, { description: 'The URL of the portal. It is valid for a few minutes.' })
  url!: string
}

@Resolver(() => Account)
export class BillingDetailsResolver {
  @FieldResolver(() => BillingDetails, {
    nullable: true,
    description:
      'The billing details, read from the payment processor. `null` before the first top-up or saved card.',
  })
  async billingDetails(@Ctx() context: SubgraphContext): Promise<BillingDetails | null> {
    const { accountId } = requireManager(context)
    return (await readBillingDetails(context, { accountId })) ?? null
  }

  @Mutation(() => OpenBillingPortalPayload, {
    nullable: true,
    description:
      "Opens the payment processor's billing portal, in which the user edits billing details and downloads invoices.",
  })
  openBillingPortal(@Ctx() context: SubgraphContext): Promise<OpenBillingPortalPayload> {
    const { accountId } = requireManager(context)
    return openBillingPortal(context, { accountId })
  }
}
