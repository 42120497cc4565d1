import {
  Arg,
  Args,
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
import { revokeKey, updateKey } from '../../domain/keys/change-key.ts'
import { createKey } from '../../domain/keys/create-key.ts'
import { countKeys, findKey, keyOrder, listKeys, positionOfKey } from '../../domain/keys/key-records.ts'
import { requireSession } from '../runtime/call.ts'
import { ConnectionArgs, connection, sliceOf, toConnection } from '../runtime/connections.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { ApiKey, presentApiKey } from './api-key.ts'
import { CreateApiKeyInput, RevokeApiKeyInput, settingsOf, UpdateApiKeyInput } from './key-inputs.ts'

const ApiKeyConnection = connection(ApiKey)

@ObjectType({ description: 'A new key, with its whole text.' })
class CreateApiKeyPayload {
  @Field(() => String, { description: 'The whole key: what programs call with.' })
  key!: string

  @Field(() => ApiKey, { description: 'The key.' })
  apiKey!: ApiKey
}

@ObjectType({ description: 'The key as it is now.' })
class UpdateApiKeyPayload {
  @Field(() => ApiKey, { description: 'The key.' })
  apiKey!: ApiKey
}

@ObjectType({ description: 'The key that was revoked.' })
class RevokeApiKeyPayload {
  @Field(() => ID, { description: 'The id that it had.' })
  revokedApiKeyId!: string
}

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Query(() => ApiKey, { nullable: true, description: 'One key of the account.' })
  async apiKey(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<ApiKey> {
    const { accountId } = requireSession(context)
    return presentApiKey(await findKey(context, { accountId, keyId: id }))
  }

  @Query(() => ApiKeyConnection, { nullable: true, description: 'The keys of the account, newest first.' })
  async apiKeys(@Ctx() context: SubgraphContext, @Args(() => ConnectionArgs) args: ConnectionArgs) {
    const { accountId } = requireSession(context)
    const { queries } = context
    const slice = sliceOf(args, keyOrder)
    return toConnection(slice, {
      rows: await queries.run(accountId, from => listKeys(from, { accountId, slice })),
      positionOf: positionOfKey,
      present: presentApiKey,
      countAll: () => queries.run(accountId, from => countKeys(from, { accountId })),
    })
  }

  @Mutation(() => CreateApiKeyPayload, { nullable: true, description: 'Creates a key.' })
  async createApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateApiKeyInput, { description: 'The settings of the key.' })
    input: CreateApiKeyInput,
  ): Promise<CreateApiKeyPayload> {
    const { accountId, userId } = requireSession(context)
    const { isProvisioning, ...settings } = settingsOf(input)
    const { record, text } = await createKey(context, {
      accountId,
      createdBy: userId,
      isProvisioning: isProvisioning ?? false,
      settings,
    })
    return { key: text, apiKey: presentApiKey(record) }
  }

  @Mutation(() => UpdateApiKeyPayload, {
    nullable: true,
    description: 'Changes what is given and leaves the rest.',
  })
  async updateApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateApiKeyInput, { description: 'Which key, and what is changed.' })
    input: UpdateApiKeyInput,
  ): Promise<UpdateApiKeyPayload> {
    const { accountId } = requireSession(context)
    const { id, ...changes } = settingsOf(input)
    return { apiKey: presentApiKey(await updateKey(context, { accountId, keyId: id, changes })) }
  }

  @Mutation(() => RevokeApiKeyPayload, {
    nullable: true,
    description: 'Revokes a key for ever: it starts nothing once this has answered.',
  })
  async revokeApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RevokeApiKeyInput, { description: 'Which key.' }) { id }: RevokeApiKeyInput,
  ): Promise<RevokeApiKeyPayload> {
    const { accountId } = requireSession(context)
    await revokeKey(context, { accountId, keyId: id })
    return { revokedApiKeyId: id }
  }
}

/** The account of subgraph `accounts`: its keys are added here. */
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
    const keys = await context.queries.run(accountId, from => listKeys(from, { accountId }))
    return keys.map(presentApiKey)
  }
}
