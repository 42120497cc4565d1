import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql'
import { readAccount } from '../../domain/accounts/accounts.ts'
import { closeOwnAccount, reopenOwnAccount } from '../../domain/closures/close-own-account.ts'
import type { Actor } from '../runtime/audit-mutations.ts'
import { requireSession } from '../runtime/call.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Account, presentAccount } from './account.ts'

@InputType({ description: 'The account to close, which is the account of the session.' })
class CloseOwnAccountInput {
  @Field(() => String, {
    description: "The account's exact name. Another name is refused.",
  })
  accountName!: string
}

@ObjectType({ description: 'The result of closing the own account: what is left of it.' })
class CloseOwnAccountPayload {
  @Field(() => DateTime, { description: 'When the account was closed.' })
  closedAt!: Date

  @Field(() => DateTime, {
    description:
      'When the deletion of the data begins. Until then, an owner can reopen the account with the link in the e-mail, and so can the operator.',
  })
  eraseAt!: Date

  @Field(() => Money, {
    description:
      'The credits that are left, in US dollars. Closing refunds no payment: ask the operator for a refund.',
  })
  credits!: bigint

  @Field(() => Money, {
    description:
      'The amount that is still reserved for requests and tasks in progress, in US dollars. It is charged or released when they end.',
  })
  held!: bigint

  @Field(() => Int, {
    description:
      'The number of tasks that have not ended. Tasks that a vendor has accepted are finished and charged. The others fail, and their holds are released.',
  })
  runningTasks!: number
}

@InputType({ description: 'The token that reopens an account.' })
class ReopenOwnAccountInput {
  @Field(() => String, { description: 'The token: the part of the link in the e-mail after `#`.' })
  token!: string
}

@ObjectType({ description: 'The result of reopening the own account.' })
class ReopenOwnAccountPayload {
  @Field(() => Account, { description: 'The account.' })
  account!: Account

  /** For the audit log. */
  actor!: Actor
}

/** Mutations with which owners close and reopen their account (docs/closing.md). */
@Resolver()
export class OwnClosureResolver {
  @Mutation(() => CloseOwnAccountPayload, {
    nullable: true,
    description:
      'Closes the account of the session. Requests with its API keys and sessions fail with 403 `account_closed`, and its data are deleted at `eraseAt`. Each owner gets an e-mail with a link that reopens it. Requires an owner and a recent confirmation.',
  })
  async closeOwnAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CloseOwnAccountInput, { description: 'The account.' })
    { accountName }: CloseOwnAccountInput,
  ): Promise<CloseOwnAccountPayload> {
    const caller = requireSession(context)
    const { action } = context
    const { creditsNanos, heldNanos, ...closure } = await closeOwnAccount(context, {
      caller,
      accountName,
      action,
    })
    return { ...closure, credits: creditsNanos, held: heldNanos }
  }

  @Mutation(() => ReopenOwnAccountPayload, {
    nullable: true,
    description:
      'Reopens an account that an owner closed, with the token from the e-mail. Its API keys and sessions work again. Requires no session.',
  })
  async reopenOwnAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ReopenOwnAccountInput, { description: 'The token.' })
    { token }: ReopenOwnAccountInput,
  ): Promise<ReopenOwnAccountPayload> {
    const actor = await reopenOwnAccount(context, { token })
    return { account: presentAccount(await readAccount(context, actor)), actor }
  }
}
