import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from 'urql'
import { atPage, pageArguments } from '../../lists/address.ts'
import { PagedTable } from '../../lists/paged-table.tsx'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Badge, Page, Panel } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Money, SpentOfLimit, Time } from '../../ui/values.tsx'
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
        <Loaded query={query} select={data => data.apiKeys} lines={6}>
          {list => (
            <PagedTable
              caption={text.title}
              columns={columns}
              list={list}
              keyOf={({ id }) => id}
              dimmed={({ disabled }) => disabled}
              empty={
                <EmptyState icon="key" title={text.emptyTitle} action={create}>
                  {text.empty}
                </EmptyState>
              }
              onTurn={turned => void navigate({ search: atPage(turned) })}
            />
          )}
        </Loaded>
      </Panel>
      {isCreating && <CreateKeyDialog onClose={() => setIsCreating(false)} />}
      {key !== undefined && <KeyDialog id={key} onClose={() => void navigate({ search: place })} />}
    </Page>
  )
}

function useColumns(): Column<Key>[] {
  const text = useText(messages)
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
      from: 'md',
      cell: ({ keyPrefix }) => (
        <code className="font-mono text-sm whitespace-nowrap text-muted">{keyPrefix}</code>
      ),
    },
    { id: 'state', header: text.state, cell: key => <KeyState apiKey={key} /> },
    { id: 'spent', header: text.spent, align: 'end', cell: key => <Spent apiKey={key} /> },
    {
      id: 'created',
      header: text.createdAt,
      from: 'lg',
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
    {
      id: 'expires',
      header: text.expiresAt,
      from: 'lg',
      cell: ({ expiresAt }) => (expiresAt === null ? text.never : <Time value={expiresAt} />),
    },
  ]
}

export function KeyState({ apiKey }: { apiKey: Key }) {
  const text = useText(messages)
  const { disabled, expiresAt, isProvisioning } = apiKey
  const hasExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <span className="flex flex-wrap gap-1">
      {disabled && <Badge>{text.disabled}</Badge>}
      {!disabled && hasExpired && <Badge tone="danger">{text.expired}</Badge>}
      {!disabled && !hasExpired && <Badge tone="ok">{text.active}</Badge>}
      {isProvisioning && <Badge tone="warn">{text.provisioning}</Badge>}
    </span>
  )
}

/** The spent amount, with its share of the limit if there is one. */
function Spent({ apiKey: { creditUsed, creditLimit } }: { apiKey: Key }) {
  const text = useText(messages)
  if (creditLimit === null) return <Money amount={creditUsed} isRounded />
  return <SpentOfLimit spent={creditUsed} limit={creditLimit} label={text.spent} />
}
