import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useQuery } from 'urql'
import { atPage, hasFilter, pageArguments } from '../../lists/address.ts'
import { PagedList } from '../../lists/paged-list.tsx'
import { Refusal, useRefusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { type EntryRow, entriesDocument } from './documents.ts'
import { EntryDialog } from './entry-dialog.tsx'
import { auditFilterOf } from './filter.ts'
import { AuditFilters } from './filters.tsx'
import { messages } from './messages.ts'
import { ActionName, TargetName, useActorName, useTargets } from './values.tsx'

const route = getRouteApi('/account/audit-log')
const pageSize = 50

export default function AuditLogPage() {
  const text = useText(messages)
  const isRefused = useRefusal()('Query.auditEntries') !== undefined
  const { entry, ...shown } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page title={text.title} intro={text.intro}>
      {isRefused ? (
        <Refusal field="Query.auditEntries" />
      ) : (
        <>
          <AuditFilters />
          <Panel>
            <Entries />
          </Panel>
          {entry !== undefined && <EntryDialog id={entry} onClose={() => void navigate({ search: shown })} />}
        </>
      )}
    </Page>
  )
}

function Entries() {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const { action, actor, target, from, to, after, before } = route.useSearch()
  const filter = useMemo(
    () => auditFilterOf({ action, actor, target, from, to }),
    [action, actor, target, from, to],
  )
  const query = useQuery({
    query: entriesDocument,
    variables: { ...pageArguments({ after, before }, pageSize), filter },
  })
  const [{ data }] = query
  const columns = useColumns(data?.auditEntries?.nodes ?? noEntries)
  return (
    <PagedList
      query={query}
      select={found => found.auditEntries}
      lines={8}
      caption={text.title}
      columns={columns}
      keyOf={({ id }) => id}
      isFiltered={hasFilter(filter)}
      empty={
        <EmptyState icon="history" title={text.emptyTitle}>
          {text.empty}
        </EmptyState>
      }
      onTurn={place => void navigate({ search: atPage(place) })}
    />
  )
}

const noEntries: readonly EntryRow[] = []

function useColumns(entries: readonly EntryRow[]): Column<EntryRow>[] {
  const text = useText(messages)
  const actorName = useActorName()
  const targets = useTargets(entries)
  return [
    {
      id: 'time',
      header: text.time,
      cell: ({ id, createdAt }) => (
        <Link from="/audit-log" search={before => ({ ...before, entry: id })} className="hover:underline">
          <Time value={createdAt} />
        </Link>
      ),
    },
    {
      id: 'action',
      header: text.action,
      cell: entry => (
        <>
          <ActionName entry={entry} />
          <span className="block truncate text-sm text-muted @xl:hidden">{actorName(entry)}</span>
          {entry.targetId !== null && (
            <span className="block text-sm @4xl:hidden">
              <TargetName entry={entry} found={targets.get(entry.targetId)} />
            </span>
          )}
        </>
      ),
    },
    {
      id: 'actor',
      header: text.actor,
      from: 'xl',
      cell: entry => <span className="block max-w-56 truncate">{actorName(entry)}</span>,
    },
    {
      id: 'target',
      header: text.target,
      from: '4xl',
      cell: entry => <TargetName entry={entry} found={targets.get(entry.targetId ?? '')} />,
    },
  ]
}
