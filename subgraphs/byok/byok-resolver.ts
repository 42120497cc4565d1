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
import { requireCaller } from '../runtime/call.ts'
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

@ObjectType({ description: 'The new credential.' })
class CreateByokCredentialPayload {
  @Field(() => ByokCredential, { description: 'The credential.' })
  credential!: ByokCredential
}

@ObjectType({ description: 'The credential as it is now.' })
class UpdateByokCredentialPayload {
  @Field(() => ByokCredential, { description: 'The credential.' })
  credential!: ByokCredential
}

@ObjectType({ description: 'The credential that was removed.' })
class DeleteByokCredentialPayload {
  @Field(() => ID, { description: 'The id that it had.' })
  deletedCredentialId!: string
}

@ObjectType({ description: 'What became of a try.' })
class TestByokCredentialPayload {
  @Field(() => ByokTest, { description: 'How the credential did.' })
  test!: ByokTest
}

/** Credentials may be managed with a session, a provisioning key or an ordinary API key. */
@Resolver(() => ByokCredential)
export class ByokResolver {
  @Query(() => [ByokCredential], {
    nullable: true,
    description: "The account's own credentials, newest first; at most 500.",
  })
  async byokCredentials(
    @Ctx() context: SubgraphContext,
    @Arg('filter', () => ByokCredentialFilterInput, {
      nullable: true,
      description: 'Which credentials; all unless given.',
    })
    filter?: ByokCredentialFilterInput | null,
  ): Promise<ByokCredential[]> {
    const { accountId } = requireCaller(context)
    const records = await listCredentials(context, { accountId, provider: filter?.provider ?? undefined })
    return records.map(presentByokCredential)
  }

  @Query(() => ByokCredential, { nullable: true, description: 'One credential of the account.' })
  async byokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<ByokCredential> {
    const { accountId } = requireCaller(context)
    return presentByokCredential(await findCredential(context, { accountId, id }))
  }

  @Mutation(() => CreateByokCredentialPayload, { nullable: true, description: 'Adds a credential.' })
  async createByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateByokCredentialInput, { description: 'Its settings.' })
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
    description: 'Changes what is given and leaves the rest.',
  })
  async updateByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateByokCredentialInput, { description: 'Which credential, and what is changed.' })
    input: UpdateByokCredentialInput,
  ): Promise<UpdateByokCredentialPayload> {
    const { accountId } = requireCaller(context)
    const changed = { accountId, id: input.id, changes: changesOf(input) }
    return { credential: presentByokCredential(await updateCredential(context, changed)) }
  }

  @Mutation(() => DeleteByokCredentialPayload, {
    nullable: true,
    description: 'Removes a credential: the next inference call skips it.',
  })
  async deleteByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DeleteByokCredentialInput, { description: 'Which credential.' })
    { id }: DeleteByokCredentialInput,
  ): Promise<DeleteByokCredentialPayload> {
    const { accountId } = requireCaller(context)
    await deleteCredential(context, { accountId, id })
    return { deletedCredentialId: id }
  }

  @Mutation(() => TestByokCredentialPayload, {
    nullable: true,
    description: 'Tries a credential by one cheap call, paid for by its owner.',
  })
  async testByokCredential(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => TestByokCredentialInput, { description: 'Which credential.' })
    { id }: TestByokCredentialInput,
  ): Promise<TestByokCredentialPayload> {
    const { accountId } = requireCaller(context)
    return { test: await testCredential(context, { accountId, id, callVendor: context.callVendor }) }
  }
}

/** The account of subgraph `accounts`: its credentials are added here. */
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
