import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from 'urql'
import { atPage, pageArguments } from '../../lists/address.ts'
import { PagedList } from '../../lists/paged-list.tsx'
import { messages as shellMessages } from '../../shell/messages.ts'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useViewer } from '../../shell/use-viewer.ts'
import { useText } from '../../text/language.ts'
import { Badge, Page, Panel } from '../../ui/page.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { type Member, membersContext, membersDocument } from './documents.ts'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MemberDialog } from './member-dialog.tsx'
import { messages } from './messages.ts'

const route = getRouteApi('/account/members')
const pageSize = 25

export default function MembersPage() {
  const text = useText(messages)
  const [isInviting, setIsInviting] = useState(false)
  const invite = (
    <PermittedButton
      field="Mutation.createInvitation"
      kind="primary"
      icon="plus"
      onClick={() => setIsInviting(true)}
    >
      {text.invite}
    </PermittedButton>
  )
  return (
    <Page title={text.title} intro={text.intro} actions={invite}>
      <Members />
      <Invitations />
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </Page>
  )
}

function Members() {
  const text = useText(messages)
  const { member: opened, ...shown } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    query: membersDocument,
    variables: pageArguments(shown, pageSize),
    context: membersContext,
  })
  const [{ data }] = query
  const columns = useColumns()
  const close = () => void navigate({ search: before => ({ ...before, member: undefined }) })
  return (
    <Panel>
      <PagedList
        query={query}
        select={found => found.members}
        lines={4}
        caption={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={null}
        onTurn={place => void navigate({ search: atPage(place) })}
      />
      {opened !== undefined && data?.members && (
        <MemberDialog member={data.members.nodes.find(({ id }) => id === opened)} onClose={close} />
      )}
    </Panel>
  )
}

function useColumns(): Column<Member>[] {
  const text = useText(messages)
  const { roles } = useText(shellMessages)
  const viewer = useViewer()
  return [
    {
      id: 'member',
      header: text.member,
      cell: ({ id, email }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <Link
            from="/members"
            search={before => ({ ...before, member: id })}
            className="font-medium wrap-anywhere hover:underline"
          >
            {email}
          </Link>
          {id === viewer?.user?.id && <Badge>{text.you}</Badge>}
        </span>
      ),
    },
    { id: 'role', header: text.role, cell: ({ role }) => roles[role] },
    { id: 'name', header: text.name, from: '2xl', cell: ({ name }) => name },
    { id: 'joined', header: text.joined, from: '4xl', cell: ({ createdAt }) => <Time value={createdAt} /> },
    {
      id: 'active',
      header: text.lastActive,
      from: 'xl',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <Time value={lastUsedAt} />),
    },
  ]
}
