import {
  Arg,
  Ctx,
  Directive,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import { completeSignIn } from '../../domain/single-sign-on/complete-sign-in.ts'
import {
  type LinkedIdentity as IdentityRecord,
  issuerOf,
  linkIdentity,
  listIdentities,
  unlinkIdentity,
} from '../../domain/single-sign-on/identities.ts'
import { listIssuers, listSignInDomains } from '../../domain/single-sign-on/list-issuers.ts'
import type { Issuer } from '../../platform/config/issuers.ts'
import type { Actor } from '../runtime/audit-mutations.ts'
import { requireSession } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { presentSession, Session } from './account.ts'

@ObjectType({ description: 'An OpenID Connect issuer through which users sign in.' })
class SignInIssuer {
  @Field(() => String, { description: "The issuer's name in URLs." })
  name!: string

  @Field(() => String, { description: "The issuer's name for people." })
  title!: string

  @Field(() => String, {
    description:
      'The URL at which a browser begins to sign in, with the parameters `code_challenge` and `return_to` (docs/sign-in.md).',
  })
  url!: string
}

function presentIssuer({ config }: SubgraphContext, { name, title }: Issuer): SignInIssuer {
  return { name, title, url: `${config.baseUrl}/account/sso/${name}` }
}

@ObjectType({ description: 'An e-mail domain whose people sign in to the account through an issuer.' })
class SignInDomain {
  @Field(() => String, { description: 'The domain, for example `example.com`.' })
  domain!: string

  @Field(() => SignInIssuer, { description: 'The issuer.' })
  issuer!: SignInIssuer
}

@ObjectType({ description: 'An identity at an issuer with which the caller signs in.' })
@Directive('@key(fields: "id")')
export class LinkedIdentity {
  @Field(() => ID, { description: "The identity's ID." })
  id!: string

  @Field(() => SignInIssuer, {
    nullable: true,
    description: 'The issuer. `null` if this service no longer accepts it.',
  })
  issuer!: SignInIssuer | null

  @Field(() => String, {
    nullable: true,
    description:
      'The e-mail address that the issuer stated last. It can be unconfirmed. `null` if the issuer stated none.',
  })
  email!: string | null

  @Field(() => DateTime, { description: 'When the identity was linked.' })
  createdAt!: Date

  @Field(() => DateTime, { description: 'When the identity was last used to sign in.' })
  lastUsedAt!: Date
}

function presentIdentity(context: SubgraphContext, identity: IdentityRecord): LinkedIdentity {
  const { id, email, createdAt, lastUsedAt } = identity
  const issuer = issuerOf(context, identity)
  return { id, email, createdAt, lastUsedAt, issuer: issuer ? presentIssuer(context, issuer) : null }
}

const identityById = batched({
  findAll: async (context, ids) => listIdentities(context, { userId: requireSession(context).userId, ids }),
  idOf: ({ id }) => id,
})

/** Returns an identity of the caller, or `undefined`. */
export async function findIdentity(
  context: SubgraphContext,
  id: string,
): Promise<LinkedIdentity | undefined> {
  const identity = await identityById(context, id)
  return identity && presentIdentity(context, identity)
}

@InputType({ description: 'The end of a sign-in at an issuer.' })
class CompleteSignInInput {
  @Field(() => String, { description: "The code in the fragment of the client's page, `sso_code`." })
  code!: string

  @Field(() => String, {
    description: 'The code verifier whose S256 challenge the client sent at the beginning.',
  })
  codeVerifier!: string
}

@ObjectType({ description: 'The result of completing a sign-in.' })
class CompleteSignInPayload {
  @Field(() => Session, { description: 'The session.' })
  session!: Session

  /** For the audit log. */
  actor!: Actor
}

@InputType({ description: 'The end of a sign-in at an issuer whose identity to link.' })
class LinkIdentityInput extends CompleteSignInInput {}

@ObjectType({ description: 'The result of linking an identity.' })
class LinkIdentityPayload {
  @Field(() => LinkedIdentity, { description: 'The identity.' })
  linkedIdentity!: LinkedIdentity
}

@InputType({ description: 'The identity to remove.' })
class UnlinkIdentityInput {
  @Field(() => ID, { description: "The identity's ID." })
  id!: string
}

@ObjectType({ description: 'The result of removing an identity.' })
class UnlinkIdentityPayload {
  @Field(() => ID, { description: "The identity's ID." })
  unlinkedIdentityId!: string
}

/** Single sign-on (docs/sign-in.md). */
@Resolver()
export class SingleSignOnResolver {
  @Query(() => [SignInIssuer], {
    nullable: true,
    description:
      'Lists the issuers through which a person can sign in: the issuers for everyone, and with `email` also the issuers of its domain. Requires no session.',
  })
  signInIssuers(
    @Ctx() context: SubgraphContext,
    @Arg('email', () => String, { nullable: true, description: "The person's e-mail address." })
    email?: string | null,
  ): SignInIssuer[] {
    const issuers = listIssuers(context.config, { email: email ?? undefined })
    return issuers.map(issuer => presentIssuer(context, issuer))
  }

  @Query(() => [SignInDomain], {
    nullable: true,
    description:
      'Lists the e-mail domains whose people sign in to the account through an issuer, in alphabetical order. The operator sets them.',
  })
  signInDomains(@Ctx() context: SubgraphContext): SignInDomain[] {
    const { accountId } = requireSession(context)
    return listSignInDomains(context.config, { accountId }).map(({ domain, issuer }) => ({
      domain,
      issuer: presentIssuer(context, issuer),
    }))
  }

  @Query(() => [LinkedIdentity], {
    nullable: true,
    description: "Lists the caller's linked identities, at most 10, earliest first.",
  })
  async linkedIdentities(@Ctx() context: SubgraphContext): Promise<LinkedIdentity[]> {
    const { userId } = requireSession(context)
    const identities = await listIdentities(context, { userId })
    return identities.map(identity => presentIdentity(context, identity))
  }

  @Mutation(() => CompleteSignInPayload, {
    nullable: true,
    description: 'Completes a sign-in at an issuer: exchanges its code for a session.',
  })
  async completeSignIn(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CompleteSignInInput, { description: 'The code and its verifier.' })
    input: CompleteSignInInput,
  ): Promise<CompleteSignInPayload> {
    return presentSession(context, await completeSignIn(context, { ...input, address: context.address }))
  }

  @Mutation(() => LinkIdentityPayload, {
    nullable: true,
    description: 'Links the identity of a sign-in to the caller, who can then sign in with it.',
  })
  async linkIdentity(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => LinkIdentityInput, { description: 'The code and its verifier.' })
    input: LinkIdentityInput,
  ): Promise<LinkIdentityPayload> {
    const { userId, familyId } = requireSession(context)
    const identity = await linkIdentity(context, { ...input, userId, familyId, action: context.action })
    return { linkedIdentity: presentIdentity(context, identity) }
  }

  @Mutation(() => UnlinkIdentityPayload, {
    nullable: true,
    description:
      "Removes one of the caller's linked identities and ends the sessions that it began. The caller's only means of signing in cannot be removed.",
  })
  async unlinkIdentity(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UnlinkIdentityInput, { description: 'The identity.' }) { id }: UnlinkIdentityInput,
  ): Promise<UnlinkIdentityPayload> {
    const { userId } = requireSession(context)
    await unlinkIdentity(context, { userId, id, action: context.action })
    return { unlinkedIdentityId: id }
  }
}
