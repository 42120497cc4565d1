import { Ctx, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import { findUsers, readAccount } from '../../domain/accounts/accounts.ts'
import type { UserRow } from '../../schema/entities/accounts.ts'
import { requireCaller } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { Account, presentAccount } from './account.ts'

@ObjectType({ description: 'A person who logs in to an account.' })
@Directive('@key(fields: "id")')
export class User {
  @Field(() => ID, { description: 'What names the person everywhere.' })
  id!: string

  @Field(() => String, { description: 'The e-mail address that the person logs in with.' })
  email!: string

  @Field(() => DateTime, {
    nullable: true,
    description: 'The time at which the person confirmed the e-mail address; null before.',
  })
  emailConfirmedAt!: Date | null

  @Field(() => String, { description: 'What the person is called.' })
  name!: string

  @Field(() => DateTime, { description: 'When the person joined the account.' })
  createdAt!: Date
}

function presentUser({ id, email, emailConfirmedAt, name, createdAt }: UserRow): User {
  return { id, email, emailConfirmedAt: emailConfirmedAt ?? null, name, createdAt }
}

const rowOfUser = batched({
  findAll: async (context, ids) =>
    context.caller ? findUsers(context, { accountId: context.caller.accountId, ids }) : [],
  idOf: ({ id }) => id,
})

/** Finds a person of the caller's account; all that one fetch looks up are read at once. */
export async function findUser(context: SubgraphContext, id: string): Promise<User | undefined> {
  const row = await rowOfUser(context, id)
  return row && presentUser(row)
}

@ObjectType({ description: 'Who calls.' })
class Viewer {
  @Field(() => User, {
    nullable: true,
    description: 'The person; null for a key, and for one who logged in at another issuer.',
  })
  user!: User | null

  @Field(() => Account, { description: 'The account that the credential belongs to.' })
  account!: Account
}

@Resolver()
export class ViewerResolver {
  @Query(() => Viewer, { description: 'Who calls, and for which account.' })
  async viewer(@Ctx() context: SubgraphContext): Promise<Viewer> {
    const caller = requireCaller(context)
    const [account, user] = await Promise.all([
      readAccount(context, { accountId: caller.accountId }),
      caller.kind === 'session' ? findUser(context, caller.userId) : undefined,
    ])
    return { account: presentAccount(account), user: user ?? null }
  }

  @Query(() => Account, { description: 'The account that the credential belongs to.' })
  async me(@Ctx() context: SubgraphContext): Promise<Account> {
    const { accountId } = requireCaller(context)
    return presentAccount(await readAccount(context, { accountId }))
  }
}
