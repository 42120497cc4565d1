import { Ctx, Directive, Field, FieldResolver, ID, ObjectType, Resolver } from 'type-graphql'
import { listCredentials } from '../../domain/byok/credential-records.ts'
import { requireCaller } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { ByokCredential, presentByokCredential } from './byok-credential.ts'

@ObjectType()
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID)
  id!: string
}

@Resolver(() => Account)
export class AccountResolver {
  @FieldResolver(() => [ByokCredential], {
    nullable: true,
    description: "The account's own credentials, newest first.",
  })
  async byokCredentials(@Ctx() context: SubgraphContext): Promise<ByokCredential[]> {
    const { accountId } = requireCaller(context)
    return (await listCredentials(context, { accountId })).map(presentByokCredential)
  }
}
