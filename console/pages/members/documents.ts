import { graphql, type ResultOf } from '../../graph/documents.ts'

/** The fields of a member that the page shows. */
export const memberFields = graphql(`
  fragment MemberFields on User { id email name role createdAt lastUsedAt }
`)

export type Member = ResultOf<typeof memberFields>
export type Role = Member['role']

/** The fields of an invitation that the page shows. */
export const invitationFields = graphql(`
  fragment InvitationFields on Invitation { id email role createdAt sentAt expiresAt }
`)

export type Invitation = ResultOf<typeof invitationFields>

/** Mutations whose results have an ID only, and an empty list, name the types that are fetched again. */
export const membersContext = { additionalTypenames: ['User', 'Invitation'] }

export const membersDocument = graphql(
  `
    query Members($first: Int, $after: String, $last: Int, $before: String) {
      members(first: $first, after: $after, last: $last, before: $before) {
        nodes { ...MemberFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [memberFields],
)

export const invitationsDocument = graphql(
  `
    query Invitations($first: Int, $after: String, $last: Int, $before: String) {
      invitations(first: $first, after: $after, last: $last, before: $before) {
        nodes { ...InvitationFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [invitationFields],
)

export const updateMemberDocument = graphql(
  `
    mutation UpdateMember($input: UpdateMemberInput!) {
      updateMember(input: $input) { member { ...MemberFields } }
    }
  `,
  [memberFields],
)

export const removeMemberDocument = graphql(`
  mutation RemoveMember($input: RemoveMemberInput!) {
    removeMember(input: $input) { removedMemberId disabledApiKeys }
  }
`)

export const createInvitationDocument = graphql(
  `
    mutation CreateInvitation($input: CreateInvitationInput!) {
      createInvitation(input: $input) { invitation { ...InvitationFields } }
    }
  `,
  [invitationFields],
)

export const resendInvitationDocument = graphql(
  `
    mutation ResendInvitation($input: ResendInvitationInput!) {
      resendInvitation(input: $input) { invitation { ...InvitationFields } }
    }
  `,
  [invitationFields],
)

export const revokeInvitationDocument = graphql(`
  mutation RevokeInvitation($input: RevokeInvitationInput!) {
    revokeInvitation(input: $input) { revokedInvitationId }
  }
`)
