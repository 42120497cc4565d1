import { useState } from 'react'
import { useQuery } from 'urql'
import { type PagePlace, pageArguments } from '../../../lists/address.ts'
import { PagedList } from '../../../lists/paged-list.tsx'
import { useFormat, useText } from '../../../text/language.ts'
import { CodeBlock } from '../../../ui/copy.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Badge, Panel } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Details, Time } from '../../../ui/values.tsx'
import { DifferenceTable } from './difference-table.tsx'
import { differencesOf } from './differences.ts'
import { entryContext, type Revision, revisionsDocument } from './documents.ts'
import { messages } from './messages.ts'
import { printEntry } from './read-entry.ts'

/** Number of revisions of a page. */
const pageSize = 10

/** The revisions of a model, each with its differences from the one before. */
export function History({ modelId }: { modelId: string }) {
  const text = useText(messages)
  const format = useFormat()
  const [place, setPlace] = useState<PagePlace>({})
  const [opened, setOpened] = useState<Revision>()
  const query = useQuery({
    query: revisionsDocument,
    variables: { modelId, ...pageArguments(place, pageSize) },
    context: entryContext,
  })
  const [{ data }] = query
  const revisions = data?.catalogueRevisions?.nodes ?? []
  const previousOf = ({ revision }: Revision) =>
    revisions[revisions.findIndex(one => one.revision === revision) + 1]
  const columns: Column<Revision>[] = [
    {
      id: 'revision',
      header: text.revisionHeader,
      cell: revision => (
        <button type="button" className="font-medium hover:underline" onClick={() => setOpened(revision)}>
          <span className="@md:hidden">{text.revision(format.number(revision.revision))}</span>
          <span className="@max-md:hidden">{format.number(revision.revision)}</span>
        </button>
      ),
    },
    { id: 'time', header: text.time, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: 'by', header: text.by, cell: revision => <By revision={revision} /> },
    {
      id: 'changes',
      header: text.changes,
      from: '2xl',
      cell: revision => <Summary revision={revision} previous={previousOf(revision)} />,
    },
  ]
  return (
    <Panel title={text.history}>
      <PagedList
        query={query}
        select={found => found.catalogueRevisions}
        lines={4}
        caption={text.history}
        columns={columns}
        keyOf={({ revision }) => String(revision)}
        empty={<EmptyState icon="history" title={text.noHistory} />}
        onTurn={setPlace}
      />
      {opened && (
        <RevisionDialog
          revision={opened}
          previous={previousOf(opened)}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Panel>
  )
}

function By({ revision: { operator, isDeletion } }: { revision: Revision }) {
  const text = useText(messages)
  return (
    <span className="flex flex-wrap items-center gap-2">
      {operator ?? text.files}
      {isDeletion && <Badge tone="danger">{text.deleted}</Badge>}
    </span>
  )
}

/** The first paths that a revision changed. */
function Summary({ revision, previous }: { revision: Revision; previous: Revision | undefined }) {
  const text = useText(messages)
  if (!previous) return <span className="text-muted">–</span>
  const paths = differencesOf(previous.declaration, revision.declaration).map(({ path }) => path)
  return (
    <span className="block max-w-sm truncate font-mono text-xs">
      {paths.length === 0 ? <span className="font-sans text-muted">{text.same}</span> : paths.join(', ')}
    </span>
  )
}

function RevisionDialog({
  revision,
  previous,
  onClose,
}: {
  revision: Revision
  previous: Revision | undefined
  onClose(): void
}) {
  const text = useText(messages)
  const format = useFormat()
  return (
    <Dialog side title={text.revision(format.number(revision.revision))} onClose={onClose}>
      <div className="flex flex-col gap-5">
        <Details
          rows={[
            [text.time, <Time key="time" value={revision.createdAt} />],
            [text.by, <By key="by" revision={revision} />],
          ]}
        />
        {previous ? (
          <DifferenceTable
            caption={text.changes}
            differences={differencesOf(previous.declaration, revision.declaration)}
            before={text.revision(format.number(previous.revision))}
            after={text.revision(format.number(revision.revision))}
          />
        ) : (
          <p className="text-muted">{text.noPrevious}</p>
        )}
        <CodeBlock label={text.entry} code={printEntry(revision.declaration)} />
      </div>
    </Dialog>
  )
}
