import { Arg, Args, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import { type ManagedKey, mayManageKey } from '../../domain/callers/scopes.ts'
import { revokeKey, updateKey } from '../../domain/keys/change-key.ts'
import { createKey } from '../../domain/keys/create-key.ts'
import { countKeys, findKey, keyOrder, listKeys, positionOfKey } from '../../domain/keys/key-records.ts'
import { createPlaygroundKey } from '../../domain/keys/playground-key.ts'
import { rollKey } from '../../domain/keys/roll-key.ts'
import { Problem } from '../../schema/errors.ts'
import { type Call, requireCaller } from '../runtime/call.ts'
import { ConnectionArgs, connection, sliceOf, toConnection } from '../runtime/connections.ts'
import { extendedEntity } from '../runtime/entity-reference.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { ApiKey, presentApiKey } from './api-key.ts'
import {
  CreateApiKeyInput,
  RevokeApiKeyInput,
  RollApiKeyInput,
  settingsOf,
  UpdateApiKeyInput,
} from './key-inputs.ts'

/** Throws `forbidden` if the caller must not manage a key with these rights. */
function requireKeyRights(call: Call, key: ManagedKey): void {
  if (mayManageKey(call, key)) return
  throw new Problem('forbidden', {
    message:
      call.caller?.kind === 'session'
        ? 'A provisioning key has rights that your role does not have. Ask an admin or owner of the account.'
        : 'API keys cannot manage provisioning keys. Use a session.',
  })
}

const ApiKeyConnection = connection(ApiKey)

@ObjectType({ description: 'The result of creating an API key.' })
class CreateApiKeyPayload {
  @Field(() => String, { description: 'The full key. Send it as `Authorization: Bearer <key>`.' })
  key!: string

  @Field(() => ApiKey, { description: 'The new API key.' })
  apiKey!: ApiKey
}

@ObjectType({ description: 'The result of creating the key of the playground.' })
class CreatePlaygroundKeyPayload {
  @Field(() => ApiKey, { description: 'The key of the playground.' })
  apiKey!: ApiKey
}

@ObjectType({ description: 'The result of updating an API key.' })
class UpdateApiKeyPayload {
  @Field(() => ApiKey, { description: 'The updated API key.' })
  apiKey!: ApiKey
}

@ObjectType({ description: 'The result of rolling an API key.' })
class RollApiKeyPayload {
  @Field(() => String, { description: 'The full key with its new secret.' })
  key!: string

  @Field(() => ApiKey, { description: 'The API key.' })
  apiKey!: ApiKey
}

@ObjectType({ description: 'The result of revoking an API key.' })
class RevokeApiKeyPayload {
  @Field(() => ID, { description: 'The ID of the revoked key.' })
  revokedApiKeyId!: string
}

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Query(() => ApiKey, { nullable: true, description: 'Returns an API key of the account.' })
  async apiKey(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The key's ID." }) id: string,
  ): Promise<ApiKey> {
    const { accountId } = requireCaller(context)
    return presentApiKey(await findKey(context, { accountId, keyId: id }))
  }

  @Query(() => ApiKeyConnection, {
    nullable: true,
    description: "Lists the account's API keys, newest first.",
  })
  async apiKeys(@Ctx() context: SubgraphContext, @Args(() => ConnectionArgs) args: ConnectionArgs) {
    const { accountId } = requireCaller(context)
    const { queries } = context
    const slice = sliceOf(args, keyOrder)
    return toConnection(slice, {
      rows: await queries.run(accountId, from => listKeys(from, { accountId, slice })),
      positionOf: positionOfKey,
      present: presentApiKey,
      countAll: () => queries.run(accountId, from => countKeys(from, { accountId })),
    })
  }

  @Mutation(() => CreateApiKeyPayload, {
    nullable: true,
    description:
      'Creates an API key. Its account can have at most as many keys as the allowance `keys` permits.',
  })
  async createApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateApiKeyInput, { description: 'The settings of the key.' })
    input: CreateApiKeyInput,
  ): Promise<CreateApiKeyPayload> {
    const caller = requireCaller(context)
    const { isProvisioning: given, ...settings } = settingsOf(input)
    const isProvisioning = given ?? false
    requireKeyRights(context, { isProvisioning, scopes: settings.scopes ?? (isProvisioning ? ['all'] : []) })
    const { record, text } = await createKey(context, {
      accountId: caller.accountId,
      createdBy: caller.kind === 'session' ? caller.userId : null,
      isProvisioning,
      settings,
    })
    return { key: text, apiKey: presentApiKey(record) }
  }

  @Mutation(() => CreatePlaygroundKeyPayload, {
    nullable: true,
    description:
      'Creates the key of the playground again after it was revoked. The first use of the playground creates it by itself.',
  })
  async createPlaygroundKey(@Ctx() context: SubgraphContext): Promise<CreatePlaygroundKeyPayload> {
    const { accountId } = requireCaller(context)
    requireKeyRights(context, { isProvisioning: false, scopes: [] })
    return { apiKey: presentApiKey(await createPlaygroundKey(context, { accountId })) }
  }

  @Mutation(() => UpdateApiKeyPayload, {
    nullable: true,
    description: 'Updates an API key. Settings that are left out keep their value.',
  })
  async updateApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateApiKeyInput, { description: 'The key and its new settings.' })
    input: UpdateApiKeyInput,
  ): Promise<UpdateApiKeyPayload> {
    const { accountId } = requireCaller(context)
    const { id, ...changes } = settingsOf(input)
    const key = await findKey(context, { accountId, keyId: id })
    requireKeyRights(context, key)
    if (changes.scopes) requireKeyRights(context, { ...key, scopes: changes.scopes })
    return { apiKey: presentApiKey(await updateKey(context, { accountId, keyId: id, changes })) }
  }

  @Mutation(() => RollApiKeyPayload, {
    nullable: true,
    description:
      'Gives an API key a new secret. Its ID, settings, spending and history stay. The previous secret is valid for the overlap.',
  })
  async rollApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RollApiKeyInput, { description: 'The key to roll.' })
    { id, overlapHours }: RollApiKeyInput,
  ): Promise<RollApiKeyPayload> {
    const { accountId } = requireCaller(context)
    requireKeyRights(context, await findKey(context, { accountId, keyId: id }))
    const { record, text } = await rollKey(context, { accountId, keyId: id, overlapHours })
    return { key: text, apiKey: presentApiKey(record) }
  }

  @Mutation(() => RevokeApiKeyPayload, {
    nullable: true,
    description: 'Revokes an API key permanently. After the response, requests with the key fail with 401.',
  })
  async revokeApiKey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RevokeApiKeyInput, { description: 'The key to revoke.' }) { id }: RevokeApiKeyInput,
  ): Promise<RevokeApiKeyPayload> {
    const { accountId } = requireCaller(context)
    requireKeyRights(context, await findKey(context, { accountId, keyId: id }))
    await revokeKey(context, { accountId, keyId: id })
    return { revokedApiKeyId: id }
  }
}

/** The account of the subgraph `accounts`. This subgraph adds its API keys. */
const Account = extendedEntity('Account')

@Resolver(() => Account)
export class AccountKeysResolver {
  @FieldResolver(() => [ApiKey], {
    nullable: true,
    description: 'All API keys of the account, newest first.',
  })
  async apiKeys(@Ctx() context: SubgraphContext): Promise<ApiKey[]> {
    const { accountId } = requireCaller(context)
    const keys = await context.queries.run(accountId, from => listKeys(from, { accountId }))
    return keys.map(presentApiKey)
  }
}
