import {
  Arg,
  Ctx,
  Directive,
  Field,
  FieldResolver,
  ID,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import { deleteCredential, updateCredential } from '../../domain/byok/change-credentials.ts'
import { createCredential } from '../../domain/byok/create-credential.ts'
import { findCredential, listCredentials } from '../../domain/byok/credential-records.ts'
import { testCredential } from '../../domain/byok/test-credential.ts'
import type { ByokProvider as AnyProvider } from '../../schema/entities/byok.ts'
import { requireCaller } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { ByokCredential, ByokProvider, ByokTest, presentByokCredential } from './byok-credential.ts'
import { CreateByokCredentialInput, changesOf, settingsOf, UpdateByokCredentialInput } from './byok-inputs.ts'

/** Credentials may be managed with a session, a provisioning key or an ordinary API key. */
@Resolver(() => ByokCredential)
export class ByokResolver {
  @Query(() => [ByokCredential], { description: "The account's own credentials, newest first; at most 500." })
  async byokCredentials(
    @Ctx() context: SubgraphContext,
    @Arg('provider', () => ByokProvider, { nullable: true }) provider?: AnyProvider | null,
  ): Promise<ByokCredential[]> {
    const { accountId } = requireCaller(context)
    const records = await listCredentials(context, { accountId, provider: provider ?? undefined })
    return records.map(presentByokCredential)
  }

  @Query(() => ByokCredential, { nullable: true, description: 'One credential of the account.' })
  async byokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID) id: string,
  ): Promise<ByokCredential> {
    const { accountId } = requireCaller(context)
    return presentByokCredential(await findCredential(context, { accountId, id }))
  }

  @Mutation(() => ByokCredential)
  async createByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateByokCredentialInput) input: CreateByokCredentialInput,
  ): Promise<ByokCredential> {
    const { accountId } = requireCaller(context)
    const { provider, label } = input
    const settings = { ...settingsOf(input), label }
    return presentByokCredential(await createCredential(context, { accountId, provider, settings }))
  }

  @Mutation(() => ByokCredential, { description: 'Changes what is given and leaves the rest.' })
  async updateByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateByokCredentialInput) input: UpdateByokCredentialInput,
  ): Promise<ByokCredential> {
    const { accountId } = requireCaller(context)
    return presentByokCredential(
      await updateCredential(context, { accountId, id, changes: changesOf(input) }),
    )
  }

  @Mutation(() => Boolean, { description: 'Removes a credential: the next inference call skips it.' })
  async deleteByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID) id: string,
  ): Promise<boolean> {
    const { accountId } = requireCaller(context)
    await deleteCredential(context, { accountId, id })
    return true
  }

  @Mutation(() => ByokTest, { description: 'Tries a credential by one cheap call, paid for by its owner.' })
  async testByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID) id: string,
  ): Promise<ByokTest> {
    const { accountId } = requireCaller(context)
    return testCredential(context, { accountId, id, callVendor: context.callVendor })
  }
}

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
