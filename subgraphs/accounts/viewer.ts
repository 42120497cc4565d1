import { Ctx, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import { findPeople, type Person, readAccount } from '../../domain/accounts/accounts.ts'
import { requireCaller } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { Account, presentAccount } from './account.ts'

@ObjectType({ description: 'A person who can log in to an account.' })
@Directive('@key(fields: "id")')
export class User {
  @Field(() => ID, { description: "The user's ID." })
  id!: string

  @Field(() => String, { description: 'The e-mail address with which the user logs in.' })
  email!: string

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the user confirmed the e-mail address. `null` if it is not confirmed.',
  })
  emailConfirmedAt!: Date | null

  @Field(() => String, { description: "The user's name." })
  name!: string

  @Field(() => DateTime, { description: 'When the user joined the account.' })
  createdAt!: Date
}

function presentUser({ id, email, emailConfirmedAt, name, createdAt }: Person): User {
  return { id, email, emailConfirmedAt, name, createdAt }
}

const personById = batched({
  findAll: async (context, ids) =>
    context.caller ? findPeople(context, { accountId: context.caller.accountId, ids }) : [],
  idOf: ({ id }) => id,
})

/** Returns a member of the caller's account, or `undefined`. The users of one fetch are read by a single statement. */
export async function findUser(context: SubgraphContext, id: string): Promise<User | undefined> {
  const person = await personById(context, id)
  return person && presentUser(person)
}

@ObjectType({ description: 'The caller: the session or API key that sent the request.' })
class Viewer {
  @Field(() => User, {
    nullable: true,
    description: 'The user. `null` if the caller is an API key, or a session that another issuer created.',
  })
  user!: User | null

  @Field(() => Account, { description: 'The account of the caller.' })
  account!: Account
}

@Resolver()
export class ViewerResolver {
  @Query(() => Viewer, { description: 'Returns the caller and its account.' })
  async viewer(@Ctx() context: SubgraphContext): Promise<Viewer> {
    const caller = requireCaller(context)
    const [account, user] = await Promise.all([
      readAccount(context, { accountId: caller.accountId }),
      caller.kind === 'session' ? findUser(context, caller.userId) : undefined,
    ])
    return { account: presentAccount(account), user: user ?? null }
  }

  @Query(() => Account, { description: "Returns the caller's account." })
  async me(@Ctx() context: SubgraphContext): Promise<Account> {
    const { accountId } = requireCaller(context)
    return presentAccount(await readAccount(context, { accountId }))
  }
}
