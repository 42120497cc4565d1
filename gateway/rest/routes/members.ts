import { session, userRecord } from './accounts.ts'
import type { Route } from './route.ts'

export const invitationRecord = 'id email role invitedBy createdAt sentAt expiresAt'

/** Members of the account, invitations, and the accounts of a user (docs/teams.md). */
export const members: Route[] = [
  {
    method: 'GET',
    path: '/auth/accounts',
    document: `
      query listMemberships($first: Int, $after: String) {
        memberships(first: $first, after: $after) {
          data: nodes { accountId accountName role joinedAt isCurrent }
          totalCount
        }
      }`,
    caller: 'session',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'POST',
    path: '/auth/switch-account',
    document: `
      mutation switchAccount($input: SwitchAccountInput!) {
        switchAccount(input: $input) { session { ${session} } }
      }`,
    answer: ['switch_account', 'session'],
    session: 'begins',
    caller: 'session',
  },
  {
    method: 'POST',
    path: '/auth/accept-invitation',
    document: `
      mutation acceptInvitation($input: AcceptInvitationInput!) {
        acceptInvitation(input: $input) { accountId accountName session { ${session} } }
      }`,
    session: 'begins',
    caller: 'none',
  },
  {
    method: 'GET',
    path: '/members',
    document: `
      query listMembers($first: Int, $after: String) {
        members(first: $first, after: $after) { data: nodes { ${userRecord} } totalCount }
      }`,
    caller: 'members',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'PUT',
    path: '/members/{id}',
    document: `
      mutation updateMember($input: UpdateMemberInput!) { updateMember(input: $input) { member { ${userRecord} } } }`,
    answer: ['update_member', 'member'],
    caller: 'members',
  },
  {
    method: 'DELETE',
    path: '/members/{id}',
    document: `
      mutation removeMember($id: ID!, $disableApiKeys: Boolean! = false) {
        removeMember(input: { id: $id, disableApiKeys: $disableApiKeys }) { removedMemberId }
      }`,
    caller: 'members',
    status: 204,
  },
  {
    method: 'GET',
    path: '/invitations',
    document: `
      query listInvitations($first: Int, $after: String) {
        invitations(first: $first, after: $after) { data: nodes { ${invitationRecord} } totalCount }
      }`,
    caller: 'members',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'POST',
    path: '/invitations',
    document: `
      mutation createInvitation($input: CreateInvitationInput!) {
        createInvitation(input: $input) { invitation { ${invitationRecord} } }
      }`,
    answer: ['create_invitation', 'invitation'],
    caller: 'members',
    status: 201,
  },
  {
    method: 'POST',
    path: '/invitations/{id}/resend',
    document: `
      mutation resendInvitation($id: ID!) { resendInvitation(input: { id: $id }) { invitation { ${invitationRecord} } } }`,
    answer: ['resend_invitation', 'invitation'],
    caller: 'members',
  },
  {
    method: 'DELETE',
    path: '/invitations/{id}',
    document:
      'mutation revokeInvitation($id: ID!) { revokeInvitation(input: { id: $id }) { revokedInvitationId } }',
    caller: 'members',
    status: 204,
  },
  {
    method: 'POST',
    path: '/auth/leave-account',
    document: 'mutation leaveAccount { leaveAccount { leftAccountId } }',
    caller: 'session',
    status: 204,
  },
]
