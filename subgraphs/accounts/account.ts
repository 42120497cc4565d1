import { Ctx, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import { readAccount } from '../../domain/accounts/accounts.ts'
import type { AccountRow } from '../../schema/entities/accounts.ts'
import { requireCaller } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({ description: 'The paying customer: keys, balance, tasks and logs belong to it.' })
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID)
  id!: string

  @Field(() => String)
  name!: string

  @Field(() => DateTime)
  createdAt!: Date
}

export function presentAccount({ id, name, createdAt }: AccountRow): Account {
  return { id, name, createdAt }
}

@Resolver(() => Account)
export class AccountResolver {
  @Query(() => Account, { description: 'The account that the credential belongs to.' })
  async me(@Ctx() context: SubgraphContext): Promise<Account> {
    const { accountId } = requireCaller(context)
    return presentAccount(await readAccount(context, { accountId }))
  }
}
