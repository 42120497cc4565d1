import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from 'urql'
import { KeySpent, KeyState } from '../../keys/key-values.tsx'
import { messages as keyMessages } from '../../keys/messages.ts'
import { atPage, pageArguments } from '../../lists/address.ts'
import { PagedList } from '../../lists/paged-list.tsx'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { type Key, keysContext, keysDocument } from './documents.ts'
import { KeyDialog } from './key-dialog.tsx'
import { messages } from './messages.ts'

const route = getRouteApi('/account/keys')
const pageSize = 25

export default function KeysPage() {
  const text = useText(messages)
  const { key, ...place } = route.useSearch()
  const navigate = route.useNavigate()
  const [isCreating, setIsCreating] = useState(false)
  const query = useQuery({
    query: keysDocument,
    variables: pageArguments(place, pageSize),
    context: keysContext,
  })
  const columns = useColumns()
  const create = (
    <PermittedButton
      field="Mutation.createApiKey"
      kind="primary"
      icon="plus"
      onClick={() => setIsCreating(true)}
    >
      {text.create}
    </PermittedButton>
  )
  return (
    <Page title={text.title} intro={text.intro} actions={create}>
      <Panel>
        <PagedList
          query={query}
          select={data => data.apiKeys}
          lines={6}
          caption={text.title}
          columns={columns}
          keyOf={({ id }) => id}
          dimmed={({ disabled }) => disabled}
          empty={
            <EmptyState icon="key" title={text.emptyTitle} action={create}>
              {text.empty}
            </EmptyState>
          }
          onTurn={turned => void navigate({ search: atPage(turned) })}
        />
      </Panel>
      {isCreating && <CreateKeyDialog onClose={() => setIsCreating(false)} />}
      {key !== undefined && <KeyDialog id={key} onClose={() => void navigate({ search: place })} />}
    </Page>
  )
}

function useColumns(): Column<Key>[] {
  const text = useText(messages)
  const { spent } = useText(keyMessages)
  return [
    {
      id: 'name',
      header: text.name,
      cell: ({ id, name }) => (
        <Link
          from="/keys"
          search={before => ({ ...before, key: id })}
          className="font-medium hover:underline"
        >
          {name}
        </Link>
      ),
    },
    {
      id: 'key',
      header: text.key,
      from: '2xl',
      cell: ({ keyPrefix }) => (
        <code className="font-mono text-sm whitespace-nowrap text-muted">{keyPrefix}</code>
      ),
    },
    { id: 'state', header: text.state, cell: key => <KeyState apiKey={key} /> },
    {
      id: 'created',
      header: text.createdAt,
      from: '4xl',
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
    {
      id: 'expires',
      header: text.expiresAt,
      from: '4xl',
      cell: ({ expiresAt }) => (expiresAt === null ? text.never : <Time value={expiresAt} />),
    },
    { id: 'spent', header: spent, align: 'end', cell: key => <KeySpent apiKey={key} /> },
  ]
}
