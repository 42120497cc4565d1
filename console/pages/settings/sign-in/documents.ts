import { graphql, type ResultOf } from '../../../graph/documents.ts'

export const statusDocument = graphql(`
  query SignInSettings {
    viewer { user { id email } }
    signInStatus { lacksSecondFactor hasPassword recoveryCodesLeft }
  }
`)

export type SignInStatus = NonNullable<ResultOf<typeof statusDocument>['signInStatus']>

/** Mutations whose results have an ID only, and empty lists, name the types that are fetched again. */
export const factorsContext = { additionalTypenames: ['SecondFactor', 'SignInStatus', 'ActiveSession'] }
export const sessionsContext = { additionalTypenames: ['ActiveSession'] }
export const identitiesContext = { additionalTypenames: ['LinkedIdentity', 'ActiveSession'] }

export const changePasswordDocument = graphql(`
  mutation ChangePassword($input: ChangePasswordInput!) {
    changePassword(input: $input) { endedSessions revokedApiKeys }
  }
`)

export const factorFields = graphql(`
  fragment FactorFields on SecondFactor { id kind name createdAt lastUsedAt }
`)

export type Factor = ResultOf<typeof factorFields>

/** A user has at most 20 second factors: the list is one page. */
export const factorsDocument = graphql(
  `query SecondFactors { secondFactors(first: 100) { nodes { ...FactorFields } } }`,
  [factorFields],
)

export const addAppDocument = graphql(`
  mutation AddAuthenticatorApp($input: AddAuthenticatorAppInput!) {
    addAuthenticatorApp(input: $input) { authenticatorAppId secret uri }
  }
`)

export type PendingApp = NonNullable<ResultOf<typeof addAppDocument>['addAuthenticatorApp']>

export const activateAppDocument = graphql(`
  mutation ActivateAuthenticatorApp($input: ActivateAuthenticatorAppInput!) {
    activateAuthenticatorApp(input: $input) { secondFactorId recoveryCodes endedSessions }
  }
`)

export const startPasskeyDocument = graphql(`
  mutation StartPasskeyRegistration { startPasskeyRegistration { challengeToken options } }
`)

export const addPasskeyDocument = graphql(`
  mutation AddPasskey($input: AddPasskeyInput!) {
    addPasskey(input: $input) { secondFactorId recoveryCodes endedSessions }
  }
`)

/** The result of adding a second factor. Only the first one has recovery codes. */
export interface Enrolment {
  recoveryCodes: readonly string[]
  endedSessions: number
}

export const updateFactorDocument = graphql(
  `
    mutation UpdateSecondFactor($input: UpdateSecondFactorInput!) {
      updateSecondFactor(input: $input) { secondFactor { ...FactorFields } }
    }
  `,
  [factorFields],
)

export const removeFactorDocument = graphql(`
  mutation RemoveSecondFactor($input: RemoveSecondFactorInput!) {
    removeSecondFactor(input: $input) { removedSecondFactorId }
  }
`)

export const renewCodesDocument = graphql(`
  mutation RenewRecoveryCodes { renewRecoveryCodes { recoveryCodes } }
`)

export const sessionsDocument = graphql(`
  query ActiveSessions($first: Int, $after: String, $last: Int, $before: String) {
    activeSessions(first: $first, after: $after, last: $last, before: $before) {
      nodes { id createdAt lastUsedAt expiresAt address isCurrent }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type Session = NonNullable<ResultOf<typeof sessionsDocument>['activeSessions']>['nodes'][number]

export const endSessionDocument = graphql(`
  mutation EndSession($input: EndSessionInput!) { endSession(input: $input) { endedSessionId } }
`)

export const endOthersDocument = graphql(`
  mutation EndOtherSessions { endOtherSessions { endedSessions } }
`)

export const identitiesDocument = graphql(`
  query LinkedIdentities($email: String) {
    signInIssuers(email: $email) { name title }
    linkedIdentities { id issuer { name title } email createdAt lastUsedAt }
  }
`)

export type Identity = NonNullable<ResultOf<typeof identitiesDocument>['linkedIdentities']>[number]

export const linkIdentityDocument = graphql(`
  mutation LinkIdentity($input: LinkIdentityInput!) { linkIdentity(input: $input) { linkedIdentity { id } } }
`)

export const unlinkIdentityDocument = graphql(`
  mutation UnlinkIdentity($input: UnlinkIdentityInput!) { unlinkIdentity(input: $input) { unlinkedIdentityId } }
`)
