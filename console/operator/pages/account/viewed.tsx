import { useState } from 'react'
import { useQuery } from 'urql'
import { type PagePlace, pageArguments } from '../../../lists/address.ts'
import { PagedTable } from '../../../lists/paged-table.tsx'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../../ui/page.tsx'
import { EmptyState, Loaded } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Money, SpentOfLimit, Time } from '../../../ui/values.tsx'
import { type Key, keysDocument, type Member, membersDocument } from './documents.ts'
import { messages } from './messages.ts'

const pageSize = 20

/** The members of the viewed account. */
export function ViewedMembers({ onReset }: { onReset(member: Member): void }) {
  const text = useText(messages)
  const [place, setPlace] = useState<PagePlace>({})
  const query = useQuery({ query: membersDocument, variables: pageArguments(place, pageSize) })
  const columns: Column<Member>[] = [
    {
      id: 'member',
      header: text.member,
      cell: ({ email, name, emailConfirmedAt }) => (
        <>
          <span className="break-all">{email}</span>{' '}
          {emailConfirmedAt === null && <Badge tone="warn">{text.unconfirmed}</Badge>}
          {name !== email && <span className="block text-sm text-muted">{name}</span>}
        </>
      ),
    },
    { id: 'role', header: text.role, cell: ({ role }) => text.roles[role] },
    {
      id: 'used',
      header: text.lastUsedAt,
      from: 'md',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <Time value={lastUsedAt} />),
    },
    {
      id: 'reset',
      header: text.secondFactors,
      align: 'end',
      cell: member => (
        <Button kind="danger" aria-label={text.resetOf(member.email)} onClick={() => onReset(member)}>
          {text.resetShort}
        </Button>
      ),
    },
  ]
  return (
    <Loaded query={query} select={data => data.members} lines={3}>
      {list => (
        <PagedTable
          caption={text.members}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={<EmptyState icon="people" title={text.noMembers} />}
          onTurn={setPlace}
        />
      )}
    </Loaded>
  )
}

/** The API keys of the viewed account. */
export function ViewedKeys() {
  const text = useText(messages)
  const [place, setPlace] = useState<PagePlace>({})
  const query = useQuery({ query: keysDocument, variables: pageArguments(place, pageSize) })
  const columns: Column<Key>[] = [
    {
      id: 'key',
      header: text.key,
      cell: ({ name, keyPrefix }) => (
        <>
          <span className="break-words">{name}</span>
          <code className="block font-mono text-xs break-all text-muted">{keyPrefix}</code>
        </>
      ),
    },
    { id: 'state', header: text.state, cell: key => <KeyState apiKey={key} /> },
    {
      id: 'spent',
      header: text.spent,
      align: 'end',
      cell: ({ creditUsed, creditLimit }) =>
        creditLimit === null ? (
          <Money amount={creditUsed} isRounded />
        ) : (
          <SpentOfLimit spent={creditUsed} limit={creditLimit} label={text.spent} />
        ),
    },
    {
      id: 'created',
      header: text.createdAt,
      from: 'md',
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
  ]
  return (
    <Loaded query={query} select={data => data.apiKeys} lines={3}>
      {list => (
        <PagedTable
          caption={text.keys}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          dimmed={({ disabled }) => disabled}
          empty={<EmptyState icon="key" title={text.noKeys} />}
          onTurn={setPlace}
        />
      )}
    </Loaded>
  )
}

function KeyState({ apiKey: { disabled, expiresAt, isProvisioning } }: { apiKey: Key }) {
  const text = useText(messages)
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
