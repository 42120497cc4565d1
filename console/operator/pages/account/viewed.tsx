import { useState } from 'react'
import { useQuery } from 'urql'
import { KeySpent, KeyState } from '../../../keys/key-values.tsx'
import { messages as keyMessages } from '../../../keys/messages.ts'
import { type PagePlace, pageArguments } from '../../../lists/address.ts'
import { PagedList } from '../../../lists/paged-list.tsx'
import { messages as shellMessages } from '../../../shell/messages.ts'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { type Key, keysDocument, type Member, membersDocument } from './documents.ts'
import { messages } from './messages.ts'

const pageSize = 20

/** The members of the viewed account. */
export function ViewedMembers({ onReset }: { onReset(member: Member): void }) {
  const text = useText(messages)
  const { roles } = useText(shellMessages)
  const [place, setPlace] = useState<PagePlace>({})
  const query = useQuery({ query: membersDocument, variables: pageArguments(place, pageSize) })
  const columns: Column<Member>[] = [
    {
      id: 'member',
      header: text.member,
      cell: ({ email, name, emailConfirmedAt }) => (
        <>
          <span className="wrap-anywhere">{email}</span>{' '}
          {emailConfirmedAt === null && <Badge tone="warn">{text.unconfirmed}</Badge>}
          {name !== email && <span className="block text-sm text-muted">{name}</span>}
        </>
      ),
    },
    { id: 'role', header: text.role, cell: ({ role }) => roles[role] },
    {
      id: 'used',
      header: text.lastUsedAt,
      from: '2xl',
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
    <PagedList
      query={query}
      select={data => data.members}
      lines={3}
      caption={text.members}
      columns={columns}
      keyOf={({ id }) => id}
      empty={<EmptyState icon="people" title={text.noMembers} />}
      onTurn={setPlace}
    />
  )
}

/** The API keys of the viewed account. */
export function ViewedKeys() {
  const text = useText(messages)
  const { spent } = useText(keyMessages)
  const [place, setPlace] = useState<PagePlace>({})
  const query = useQuery({ query: keysDocument, variables: pageArguments(place, pageSize) })
  const columns: Column<Key>[] = [
    {
      id: 'key',
      header: text.key,
      cell: ({ name, keyPrefix }) => (
        <>
          <span className="break-words">{name}</span>
          <code className="block font-mono text-xs wrap-anywhere text-muted">{keyPrefix}</code>
        </>
      ),
    },
    { id: 'state', header: text.state, cell: key => <KeyState apiKey={key} /> },
    {
      id: 'spent',
      header: spent,
      align: 'end',
      cell: key => <KeySpent apiKey={key} />,
    },
    {
      id: 'created',
      header: text.createdAt,
      from: '2xl',
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
  ]
  return (
    <PagedList
      query={query}
      select={data => data.apiKeys}
      lines={3}
      caption={text.keys}
      columns={columns}
      keyOf={({ id }) => id}
      dimmed={({ disabled }) => disabled}
      empty={<EmptyState icon="key" title={text.noKeys} />}
      onTurn={setPlace}
    />
  )
}
