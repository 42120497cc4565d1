import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { renameAccount } from '../../domain/accounts/accounts.ts'
import { maxAccountNameLength } from '../../domain/accounts/open-account.ts'
import { renameUser } from '../../domain/members/rename-user.ts'
import { Problem } from '../../schema/errors.ts'
import { requireSession } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Account, presentAccount, requireOwnSession } from './account.ts'
import { findUser, User } from './viewer.ts'

const name = Field(() => String, { description: `The new name, 1 to ${maxAccountNameLength} characters.` })

@InputType({ description: 'The new details of the caller.' })
class UpdateUserInput {
  @name
  name!: string
}

@ObjectType({ description: 'The result of updating the caller.' })
class UpdateUserPayload {
  @Field(() => User, { description: 'The caller.' })
  user!: User
}

@InputType({ description: 'The new details of the account.' })
class UpdateAccountInput {
  @name
  name!: string
}

@ObjectType({ description: 'The result of updating the account.' })
class UpdateAccountPayload {
  @Field(() => Account, { description: 'The account.' })
  account!: Account
}

/** The names of users and accounts. */
@Resolver()
export class NamesResolver {
  @Mutation(() => UpdateUserPayload, {
    nullable: true,
    description: "Changes the caller's name, which the other members of the caller's accounts see.",
  })
  async updateUser(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateUserInput, { description: 'The new details.' }) input: UpdateUserInput,
  ): Promise<UpdateUserPayload> {
    const { userId } = requireOwnSession(context)
    await renameUser(context, { userId, name: input.name })
    const user = await findUser(context, userId)
    if (!user) throw new Problem('not_found')
    return { user }
  }

  @Mutation(() => UpdateAccountPayload, {
    nullable: true,
    description: "Changes the account's name.",
  })
  async updateAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateAccountInput, { description: 'The new details.' }) input: UpdateAccountInput,
  ): Promise<UpdateAccountPayload> {
    const { accountId } = requireSession(context)
    return { account: presentAccount(await renameAccount(context, { accountId, name: input.name })) }
  }
}
