import { Ctx, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import { readAccount } from '../../domain/accounts/accounts.ts'
import { permittedFields } from '../../domain/callers/permissions.ts'
import { findMembers, type Member } from '../../domain/members/member-records.ts'
import type { Role as AnyRole } from '../../schema/entities/accounts.ts'
import { requireCaller } from '../runtime/call.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { Account, presentAccount } from './account.ts'

export const Role = graphEnum<AnyRole>('Role', {
  description: 'The role of a member in an account. docs/teams.md lists the rights of each role.',
  values: {
    owner: 'Everything, including owners and the account itself.',
    admin: 'Everything except adding, changing and removing owners.',
    developer:
      'Reads the account, and manages ordinary API keys, own credentials for vendors, tasks and callbacks.',
    billing: 'Reads the account, and manages top-ups, budgets and alerts.',
    viewer: 'Reads the account, without secrets.',
  },
})

@ObjectType({ description: 'A member of an account: a person who can log in to it.' })
@Directive('@key(fields: "id")')
export class User {
  @Field(() => ID, { description: "The user's ID." })
  id!: string

  @Field(() => String, { description: 'The e-mail address with which the user logs in.' })
  email!: string

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the user first confirmed an e-mail address. `null` if the present address is not confirmed.',
  })
  emailConfirmedAt!: Date | null

  @Field(() => String, { description: "The user's name." })
  name!: string

  @Field(() => Role, { description: "The user's role in the account." })
  role!: AnyRole

  @Field(() => DateTime, { description: 'When the user joined the account.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When tokens of one of the user's sessions in the account were last issued. `null` if there was no session.",
  })
  lastUsedAt!: Date | null
}

export function presentUser({ joinedAt: createdAt, joinedMicros: _, ...member }: Member): User {
  return { ...member, createdAt }
}

const memberById = batched({
  findAll: async (context, ids) =>
    context.caller ? findMembers(context, { accountId: context.caller.accountId, ids }) : [],
  idOf: ({ id }) => id,
})

/** Returns a member of the caller's account, or `undefined`. The users of one fetch are read by a single statement. */
export async function findUser(context: SubgraphContext, id: string): Promise<User | undefined> {
  const member = await memberById(context, id)
  return member && presentUser(member)
}

@ObjectType({ description: 'The caller: the session, API key or operator that sent the request.' })
class Viewer {
  @Field(() => User, {
    nullable: true,
    description:
      'The user. `null` if the caller is an API key, an operator, or a session that another issuer created.',
  })
  user!: User | null

  @Field(() => Role, {
    nullable: true,
    description: 'The role of the session in the account. `null` if the caller is not a session.',
  })
  role!: AnyRole | null

  @Field(() => Account, { description: 'The account of the caller.' })
  account!: Account

  @Field(() => [String], {
    description:
      'The fields of the graph that the caller may use, for example `Mutation.startTopUp`: every query, mutation and subscription, and the fields of `Account`. Other operations fail with `forbidden`.',
  })
  permittedFields!: string[]
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
    const role = caller.kind === 'session' ? caller.role : null
    return {
      account: presentAccount(account),
      user: user ?? null,
      role,
      permittedFields: permittedFields(context),
    }
  }

  @Query(() => Account, { description: "Returns the caller's account." })
  async me(@Ctx() context: SubgraphContext): Promise<Account> {
    const { accountId } = requireCaller(context)
    return presentAccount(await readAccount(context, { accountId }))
  }
}
