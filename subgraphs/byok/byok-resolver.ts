import { Arg, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import { deleteCredential, updateCredential } from '../../domain/byok/change-credentials.ts'
import { createCredential } from '../../domain/byok/create-credential.ts'
import { findCredential, listCredentials } from '../../domain/byok/credential-records.ts'
import { testCredential } from '../../domain/byok/test-credential.ts'
import { requireCaller } from '../runtime/call.ts'
import { extendedEntity } from '../runtime/entity-reference.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { ByokCredential, ByokTest, presentByokCredential } from './byok-credential.ts'
import {
  ByokCredentialFilterInput,
  CreateByokCredentialInput,
  changesOf,
  DeleteByokCredentialInput,
  settingsOf,
  TestByokCredentialInput,
  UpdateByokCredentialInput,
} from './byok-inputs.ts'

@ObjectType({ description: 'The result of creating a credential.' })
class CreateByokCredentialPayload {
  @Field(() => ByokCredential, { description: 'The new credential.' })
  credential!: ByokCredential
}

@ObjectType({ description: 'The result of updating a credential.' })
class UpdateByokCredentialPayload {
  @Field(() => ByokCredential, { description: 'The updated credential.' })
  credential!: ByokCredential
}

@ObjectType({ description: 'The result of deleting a credential.' })
class DeleteByokCredentialPayload {
  @Field(() => ID, { description: 'The ID of the deleted credential.' })
  deletedCredentialId!: string
}

@ObjectType({ description: 'The result of testing a credential.' })
class TestByokCredentialPayload {
  @Field(() => ByokTest, { description: 'The result of the test.' })
  test!: ByokTest
}

/** An account's own credentials. Sessions, provisioning keys and ordinary API keys can manage them. */
@Resolver(() => ByokCredential)
export class ByokResolver {
  @Query(() => [ByokCredential], {
    nullable: true,
    description: "Lists the account's own credentials, newest first, at most 500.",
  })
  async byokCredentials(
    @Ctx() context: SubgraphContext,
    @Arg('filter', () => ByokCredentialFilterInput, {
      nullable: true,
      description: 'The filter. Without it, all credentials are listed.',
    })
    filter?: ByokCredentialFilterInput | null,
  ): Promise<ByokCredential[]> {
    const { accountId } = requireCaller(context)
    const records = await listCredentials(context, { accountId, provider: filter?.provider ?? undefined })
    return records.map(presentByokCredential)
  }

  @Query(() => ByokCredential, { nullable: true, description: 'Returns a credential of the account.' })
  async byokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The credential's ID." }) id: string,
  ): Promise<ByokCredential> {
    const { accountId } = requireCaller(context)
    return presentByokCredential(await findCredential(context, { accountId, id }))
  }

  @Mutation(() => CreateByokCredentialPayload, { nullable: true, description: 'Creates a credential.' })
  async createByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateByokCredentialInput, { description: 'The settings of the credential.' })
    input: CreateByokCredentialInput,
  ): Promise<CreateByokCredentialPayload> {
    const { accountId } = requireCaller(context)
    const { provider, label } = input
    const settings = { ...settingsOf(input), label }
    const record = await createCredential(context, { accountId, provider, settings })
    return { credential: presentByokCredential(record) }
  }

  @Mutation(() => UpdateByokCredentialPayload, {
    nullable: true,
    description: 'Updates a credential. Settings that are left out keep their value.',
  })
  async updateByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateByokCredentialInput, { description: 'The credential and its new settings.' })
    input: UpdateByokCredentialInput,
  ): Promise<UpdateByokCredentialPayload> {
    const { accountId } = requireCaller(context)
    const changed = { accountId, id: input.id, changes: changesOf(input) }
    return { credential: presentByokCredential(await updateCredential(context, changed)) }
  }

  @Mutation(() => DeleteByokCredentialPayload, {
    nullable: true,
    description: 'Deletes a credential. The next inference request no longer uses it.',
  })
  async deleteByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DeleteByokCredentialInput, { description: 'The credential to delete.' })
    { id }: DeleteByokCredentialInput,
  ): Promise<DeleteByokCredentialPayload> {
    const { accountId } = requireCaller(context)
    await deleteCredential(context, { accountId, id })
    return { deletedCredentialId: id }
  }

  @Mutation(() => TestByokCredentialPayload, {
    nullable: true,
    description:
      "Tests a credential with one inexpensive request to the vendor. The vendor bills it to the credential's owner.",
  })
  async testByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => TestByokCredentialInput, { description: 'The credential to test.' })
    { id }: TestByokCredentialInput,
  ): Promise<TestByokCredentialPayload> {
    const { accountId } = requireCaller(context)
    return { test: await testCredential(context, { accountId, id, callVendor: context.callVendor }) }
  }
}

/** The account of the subgraph `accounts`. This subgraph adds its credentials. */
const Account = extendedEntity('Account')

@Resolver(() => Account)
export class AccountCredentialsResolver {
  @FieldResolver(() => [ByokCredential], {
    nullable: true,
    description: "The account's own credentials, newest first, at most 500.",
  })
  async byokCredentials(@Ctx() context: SubgraphContext): Promise<ByokCredential[]> {
    const { accountId } = requireCaller(context)
    return (await listCredentials(context, { accountId })).map(presentByokCredential)
  }
}
