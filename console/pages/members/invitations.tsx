import { getRouteApi, Link } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { pageArguments } from '../../lists/address.ts'
import { PagedList } from '../../lists/paged-list.tsx'
import { messages as shellMessages } from '../../shell/messages.ts'
import { useRefusal } from '../../shell/permissions.tsx'
import { useViewer } from '../../shell/use-viewer.ts'
import { useText } from '../../text/language.ts'
import { Badge, Panel } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { type Invitation, invitationsDocument, membersContext } from './documents.ts'
import { InvitationDialog } from './invitation-dialog.tsx'
import { messages } from './messages.ts'
import { invitationsSearchOf } from './search.ts'

const route = getRouteApi('/account/members')
const pageSize = 25

/** The open invitations. Only roles that manage members may read them. */
export function Invitations() {
  const text = useText(messages)
  const { invitation: opened, invitationsAfter, invitationsBefore } = route.useSearch()
  const navigate = route.useNavigate()
  const viewer = useViewer()
  const refusal = useRefusal()('Query.invitations')
  const query = useQuery({
    query: invitationsDocument,
    variables: pageArguments({ after: invitationsAfter, before: invitationsBefore }, pageSize),
    context: membersContext,
    pause: !viewer || refusal !== undefined,
  })
  const [{ data }] = query
  const columns = useColumns()
  const close = () => void navigate({ search: before => ({ ...before, invitation: undefined }) })
  return (
    <Panel title={text.invitations}>
      {refusal !== undefined ? (
        <p className="px-5 py-4 text-muted">{refusal}</p>
      ) : (
        <PagedList
          query={query}
          select={found => found.invitations}
          lines={3}
          caption={text.invitations}
          columns={columns}
          keyOf={({ id }) => id}
          dimmed={hasExpired}
          empty={
            <EmptyState icon="send" title={text.noInvitations}>
              {text.noInvitationsText}
            </EmptyState>
          }
          onTurn={turned =>
            void navigate({ search: before => ({ ...before, ...invitationsSearchOf(turned) }) })
          }
        />
      )}
      {opened !== undefined && data?.invitations && (
        <InvitationDialog
          invitation={data.invitations.nodes.find(({ id }) => id === opened)}
          onClose={close}
        />
      )}
    </Panel>
  )
}

function hasExpired({ expiresAt }: Invitation): boolean {
  return Date.parse(expiresAt) <= Date.now()
}

function useColumns(): Column<Invitation>[] {
  const text = useText(messages)
  const { roles } = useText(shellMessages)
  return [
    {
      id: 'email',
      header: text.address,
      cell: ({ id, email }) => (
        <Link
          from="/members"
          search={before => ({ ...before, invitation: id })}
          className="font-medium wrap-anywhere hover:underline"
        >
          {email}
        </Link>
      ),
    },
    { id: 'role', header: text.role, cell: ({ role }) => roles[role] },
    {
      id: 'state',
      header: text.state,
      from: 'xl',
      cell: invitation =>
        hasExpired(invitation) ? (
          <Badge tone="danger">{text.expired}</Badge>
        ) : (
          <Badge tone="ok">{text.open}</Badge>
        ),
    },
    { id: 'sent', header: text.sent, from: '2xl', cell: ({ sentAt }) => <Time value={sentAt} /> },
    { id: 'expires', header: text.expires, from: '4xl', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
  ]
}
