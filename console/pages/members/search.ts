import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'

/** The state of the page, in its address: the pages of both lists, and the member or invitation whose panel is open. */
export interface MembersSearch extends PagePlace {
  invitationsAfter?: string | undefined
  invitationsBefore?: string | undefined
  member?: string | undefined
  invitation?: string | undefined
}

export function membersSearchOf(search: Record<string, unknown>): MembersSearch {
  const { member, invitation, invitationsAfter, invitationsBefore } = search
  return {
    ...pagePlaceOf(search),
    ...invitationsSearchOf(pagePlaceOf({ after: invitationsAfter, before: invitationsBefore })),
    member: typeof member === 'string' ? member : undefined,
    invitation: typeof invitation === 'string' ? invitation : undefined,
  }
}

/** Writes the place in the list of invitations as parameters of the address. */
export function invitationsSearchOf({ after, before }: PagePlace): MembersSearch {
  return { invitationsAfter: after, invitationsBefore: before }
}
