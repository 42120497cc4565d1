import { Ctx, Directive, Field, FieldResolver, ID, ObjectType, Resolver } from 'type-graphql'
import { listKeys } from '../../domain/keys/key-records.ts'
import { requireSession } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { ApiKey, presentApiKey } from './api-key.ts'

@ObjectType()
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID)
  id!: string
}

@Resolver(() => Account)
export class AccountResolver {
  @FieldResolver(() => [ApiKey], { nullable: true, description: 'All keys of the account, newest first.' })
  async apiKeys(@Ctx() context: SubgraphContext): Promise<ApiKey[]> {
    const { accountId } = requireSession(context)
    return (await listKeys(context, { accountId })).map(presentApiKey)
  }
}
