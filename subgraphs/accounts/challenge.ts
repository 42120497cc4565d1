import { Field, InputType, ObjectType } from 'type-graphql'
import type { Proof } from '../../domain/second-factors/check-proof.ts'
import type { PresentedChallenge, ProofMethod } from '../../domain/second-factors/present-challenge.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime, Json } from '../runtime/scalars.ts'

const SecondFactorMethod = graphEnum<ProofMethod>('SecondFactorMethod', {
  description: 'A method of proving a second factor.',
  values: {
    totp: 'The code of an authenticator app.',
    passkey: 'A passkey, with `passkeyOptions`.',
    recovery_code: 'A recovery code. Each works once.',
  },
})

@ObjectType({
  description:
    'A step that the user has begun and completes with a second factor. It is valid for five minutes and works once. It is not a session.',
})
export class SignInChallenge {
  @Field(() => String, { description: 'The token with which the client completes the step.' })
  token!: string

  @Field(() => DateTime, { description: 'When the challenge expires.' })
  expiresAt!: Date

  @Field(() => [SecondFactorMethod], {
    description: 'The methods that the user can use. Empty if the user has no second factor.',
  })
  methods!: ProofMethod[]

  @Field(() => Json, {
    nullable: true,
    description:
      'The options for `navigator.credentials.get`, in the format of `PublicKeyCredential.parseRequestOptionsFromJSON`. `null` if the user has no passkey.',
  })
  passkeyOptions!: object | null
}

/** Presents a challenge to its client. */
export function presentSignInChallenge(challenge: PresentedChallenge): SignInChallenge {
  return { ...challenge }
}

/** The fields that prove a second factor. Exactly one of them is sent. */
@InputType()
export class ProofInput implements Proof {
  @Field(() => String, {
    nullable: true,
    description: 'The six digits that the authenticator app shows. A code works once.',
  })
  code?: string | null

  @Field(() => String, { nullable: true, description: 'A recovery code that was not used before.' })
  recoveryCode?: string | null

  @Field(() => Json, {
    nullable: true,
    description:
      'The signed response of a passkey: `toJSON()` of the result of `navigator.credentials.get` with the options of the challenge.',
  })
  passkey?: unknown
}

/** Returns the proof in an input. */
export function proofOf({ code, recoveryCode, passkey }: ProofInput): Proof {
  return { code, recoveryCode, passkey }
}
