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
import { countKeys, findKey, listKeys } from '../../domain/keys/key-records.ts'
import { isUuid } from '../../platform/checks.ts'
import { requireSession } from '../runtime/call.ts'
import {
  ConnectionArgs,
  checkPageSize,
  connection,
  cursorOf,
  positionOf,
  toConnection,
} from '../runtime/lists.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { ApiKey, presentApiKey } from './api-key.ts'
import { CreateApiKeyInput, settingsOf, UpdateApiKeyInput } from './key-inputs.ts'

const ApiKeyConnection = connection(ApiKey)

@ObjectType({ description: 'A new key, with its whole text.' })
class CreatedApiKey {
  @Field(() => ID)
  id!: string

  @Field(() => String)
  name!: string

  @Field(() => String, { description: 'The whole key.' })
  key!: string

  @Field(() => DateTime)
  createdAt!: Date

  @Field(() => ApiKey)
  apiKey!: ApiKey
}

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Query(() => ApiKey, { nullable: true, description: 'One key of the account.' })
  async apiKey(@Ctx() context: SubgraphContext, @Arg('id', () => ID) id: string): Promise<ApiKey> {
    const { accountId } = requireSession(context)
    return presentApiKey(await findKey(context, { accountId, keyId: id }))
  }

  @Query(() => ApiKeyConnection, { description: 'The keys of the account, newest first.' })
  async apiKeys(@Ctx() context: SubgraphContext, @Args(() => ConnectionArgs) args: ConnectionArgs) {
    const { accountId } = requireSession(context)
    const first = checkPageSize(args.first, 'first')
    const after = positionOf(args.after, isUuid)
    return toConnection({
      first,
      rows: await listKeys(context, { accountId, limit: first + 1, after }),
      cursorOf: ({ createdAt, id }) => cursorOf({ createdMicros: BigInt(createdAt.getTime()) * 1000n, id }),
      present: presentApiKey,
      countAll: () => countKeys(context, { accountId }),
    })
  }

  @Mutation(() => CreatedApiKey)
  async createApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateApiKeyInput) input: CreateApiKeyInput,
  ): Promise<CreatedApiKey> {
    const { accountId, userId } = requireSession(context)
    const { record, text } = await createKey(context, {
      accountId,
      createdBy: userId,
      isProvisioning: input.isProvisioning ?? false,
      settings: settingsOf(input),
    })
    const { id, name, createdAt } = record
    return { id, name, createdAt, key: text, apiKey: presentApiKey(record) }
  }

  @Mutation(() => ApiKey, { description: 'Changes what is given and leaves the rest.' })
  async updateApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateApiKeyInput) input: UpdateApiKeyInput,
  ): Promise<ApiKey> {
    const { accountId } = requireSession(context)
    return presentApiKey(await updateKey(context, { accountId, keyId: id, changes: settingsOf(input) }))
  }

  @Mutation(() => Boolean, {
    description: 'Revokes a key for ever: it starts nothing once this has answered.',
  })
  async revokeApiKey(@Ctx() context: SubgraphContext, @Arg('id', () => ID) id: string): Promise<boolean> {
    const { accountId } = requireSession(context)
    await revokeKey(context, { accountId, keyId: id })
    return true
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
  @FieldResolver(() => [ApiKey], { nullable: true, description: 'All keys of the account, newest first.' })
  async apiKeys(@Ctx() context: SubgraphContext): Promise<ApiKey[]> {
    const { accountId } = requireSession(context)
    return (await listKeys(context, { accountId })).map(presentApiKey)
  }
}
