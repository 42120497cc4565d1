import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql'
import {
  activateAuthenticatorApp,
  addAuthenticatorApp,
} from '../../domain/second-factors/add-authenticator-app.ts'
import { addPasskey, startPasskeyRegistration } from '../../domain/second-factors/add-passkey.ts'
import { maxFactorNameLength } from '../../domain/second-factors/factor-records.ts'
import { DateTime, Json } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { requireOwnSession } from './account.ts'

/** The fields that adding an authenticator app and adding a passkey have in common. */
const fields = {
  name: Field(() => String, {
    description: `The name by which the user recognises it, 1 to ${maxFactorNameLength} characters.`,
  }),
  secondFactorId: Field(() => ID, { description: 'The ID of the new second factor.' }),
  recoveryCodes: Field(() => [String], {
    description:
      'Ten recovery codes if this is the first second factor of the user; otherwise empty. They cannot be read again.',
  }),
  endedSessions: Field(() => Int, {
    description:
      "The number of the caller's other sessions that were ended. 0 unless this is the first second factor of the user.",
  }),
}

@InputType({ description: 'The authenticator app to add.' })
class AddAuthenticatorAppInput {
  @fields.name
  name!: string
}

@ObjectType({ description: 'An authenticator app that becomes a second factor with its first code.' })
class AddAuthenticatorAppPayload {
  @Field(() => ID, { description: 'The ID of the authenticator app.' })
  authenticatorAppId!: string

  @Field(() => String, {
    description: 'The secret in base32, for typing it into the app. It cannot be read again.',
  })
  secret!: string

  @Field(() => String, { description: 'The `otpauth:` URI with the secret, for a QR code.' })
  uri!: string
}

@InputType({ description: 'The authenticator app and its first code.' })
class ActivateAuthenticatorAppInput {
  @Field(() => ID, { description: 'The ID of the authenticator app.' })
  id!: string

  @Field(() => String, { description: 'The six digits that the app shows.' })
  code!: string
}

@ObjectType({ description: 'The result of activating an authenticator app.' })
class ActivateAuthenticatorAppPayload {
  @fields.secondFactorId
  secondFactorId!: string

  @fields.recoveryCodes
  recoveryCodes!: string[]

  @fields.endedSessions
  endedSessions!: number
}

@ObjectType({ description: 'The registration of a passkey that was begun.' })
class StartPasskeyRegistrationPayload {
  @Field(() => String, { description: 'The token with which `addPasskey` completes the registration, once.' })
  challengeToken!: string

  @Field(() => DateTime, { description: 'When the registration expires, after five minutes.' })
  expiresAt!: Date

  @Field(() => Json, {
    description:
      'The options for `navigator.credentials.create`, in the format of `PublicKeyCredential.parseCreationOptionsFromJSON`.',
  })
  options!: object
}

@InputType({ description: 'The passkey that an authenticator created.' })
class AddPasskeyInput {
  @Field(() => String, { description: 'The token of the registration.' })
  challengeToken!: string

  @fields.name
  name!: string

  @Field(() => Json, {
    description: 'The passkey: `toJSON()` of the result of `navigator.credentials.create` with the options.',
  })
  passkey!: unknown
}

@ObjectType({ description: 'The result of adding a passkey.' })
class AddPasskeyPayload {
  @fields.secondFactorId
  secondFactorId!: string

  @fields.recoveryCodes
  recoveryCodes!: string[]

  @fields.endedSessions
  endedSessions!: number
}

@Resolver()
export class EnrolmentResolver {
  @Mutation(() => AddAuthenticatorAppPayload, {
    nullable: true,
    description:
      'Creates the secret of an authenticator app. `activateAuthenticatorApp` makes it a second factor. Requires a recent confirmation.',
  })
  async addAuthenticatorApp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => AddAuthenticatorAppInput, { description: 'The authenticator app.' })
    { name }: AddAuthenticatorAppInput,
  ): Promise<AddAuthenticatorAppPayload> {
    const session = requireOwnSession(context)
    const { id, secret, uri } = await addAuthenticatorApp(context, { ...session, name })
    return { authenticatorAppId: id, secret, uri }
  }

  @Mutation(() => ActivateAuthenticatorAppPayload, {
    nullable: true,
    description:
      "Makes an authenticator app a second factor. The first second factor of a user ends the user's other sessions. Requires a recent confirmation.",
  })
  async activateAuthenticatorApp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ActivateAuthenticatorAppInput, { description: 'The app and its first code.' })
    { id, code }: ActivateAuthenticatorAppInput,
  ): Promise<ActivateAuthenticatorAppPayload> {
    const session = requireOwnSession(context)
    const { address } = context
    const { id: secondFactorId, ...result } = await activateAuthenticatorApp(context, {
      ...session,
      id,
      code,
      address,
    })
    return { secondFactorId, ...result }
  }

  @Mutation(() => StartPasskeyRegistrationPayload, {
    nullable: true,
    description: 'Begins the registration of a passkey. Requires a recent confirmation.',
  })
  async startPasskeyRegistration(@Ctx() context: SubgraphContext): Promise<StartPasskeyRegistrationPayload> {
    const { token, ...registration } = await startPasskeyRegistration(context, requireOwnSession(context))
    return { challengeToken: token, ...registration }
  }

  @Mutation(() => AddPasskeyPayload, {
    nullable: true,
    description:
      "Adds a passkey. It is a second factor, and can log the user in alone. The first second factor of a user ends the user's other sessions. Requires a recent confirmation.",
  })
  async addPasskey(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => AddPasskeyInput, { description: 'The registration and the passkey.' })
    input: AddPasskeyInput,
  ): Promise<AddPasskeyPayload> {
    const session = requireOwnSession(context)
    const { address } = context
    const { id: secondFactorId, ...result } = await addPasskey(context, { ...session, ...input, address })
    return { secondFactorId, ...result }
  }
}
