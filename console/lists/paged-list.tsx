import type { ComponentProps, ReactNode } from 'react'
import { useText } from '../text/language.ts'
import { Button } from '../ui/button.tsx'
import { Loaded } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import type { PagePlace } from './address.ts'
import { messages } from './messages.ts'
import { NoneMatches } from './none-matches.tsx'

interface PageInfo {
  hasNextPage: boolean
  hasPreviousPage: boolean
  startCursor: string | null
  endCursor: string | null
}

/** A page of a list, as connections of the graph return it. */
interface ListPage<Row> {
  nodes: readonly Row[]
  pageInfo: PageInfo
}

/** A list of the graph: a placeholder, the error, what an empty list shows, or a page of it as a table. */
export function PagedList<Data, Row>({
  query,
  select,
  lines,
  isFiltered = false,
  empty,
  ...table
}: Omit<ComponentProps<typeof Loaded<Data, ListPage<Row>>>, 'missing' | 'children'> &
  Omit<ComponentProps<typeof PagedTable<Row>>, 'list'> & {
    /** Whether filters narrow the list. An empty list then says so. */
    isFiltered?: boolean
  }) {
  return (
    <Loaded query={query} select={select} missing={empty} {...(lines !== undefined && { lines })}>
      {list => <PagedTable {...table} list={list} empty={isFiltered ? <NoneMatches /> : empty} />}
    </Loaded>
  )
}

/** A page of a list of the graph as a table, with the buttons that turn the pages. */
function PagedTable<Row>({
  list: { nodes, pageInfo },
  empty,
  onTurn,
  ...table
}: Omit<ComponentProps<typeof Table<Row>>, 'rows'> & {
  list: ListPage<Row>
  /** What a list without rows shows. */
  empty: ReactNode
  onTurn(place: PagePlace): void
}) {
  if (nodes.length === 0 && !pageInfo.hasNextPage) return empty
  return (
    <>
      <Table {...table} rows={nodes} />
      <Pager info={pageInfo} onTurn={onTurn} />
    </>
  )
}

/** The buttons that turn the pages of a list. Without further pages, nothing is shown. */
function Pager({ info, onTurn }: { info: PageInfo; onTurn(place: PagePlace): void }) {
  const text = useText(messages)
  if (!info.hasNextPage && !info.hasPreviousPage) return null
  return (
    <nav aria-label={text.pages} className="flex justify-end gap-2 border-t border-line px-5 py-3">
      <Button
        disabled={!info.hasPreviousPage}
        onClick={() => onTurn({ before: info.startCursor ?? undefined })}
      >
        {text.previous}
      </Button>
      <Button disabled={!info.hasNextPage} onClick={() => onTurn({ after: info.endCursor ?? undefined })}>
        {text.next}
      </Button>
    </nav>
  )
}
