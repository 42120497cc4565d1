import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useQuery } from 'urql'
import { Prices } from '../../../prices/prices.tsx'
import { useFormat, useText } from '../../../text/language.ts'
import { CopyText } from '../../../ui/copy.tsx'
import { Badge, Page, Panel } from '../../../ui/page.tsx'
import { EmptyState, Loaded } from '../../../ui/states.tsx'
import { Time } from '../../../ui/values.tsx'
import { DeleteModel } from './delete-model.tsx'
import { type Entry, entryContext, entryDocument } from './documents.ts'
import { Editor } from './editor.tsx'
import { History } from './history.tsx'
import { messages } from './messages.ts'
import { printEntry } from './read-entry.ts'

const route = getRouteApi('/operator/catalogue/$modelId')

export default function EntryPage(): ReactNode {
  const { modelId } = route.useParams()
  return modelId === 'new' ? <NewEntry /> : <KnownEntry key={modelId} modelId={modelId} />
}

/** What a new entry starts with. The service names everything that is missing. */
const template = printEntry({
  id: 'chat.my-model',
  model: 'vendor_a/my-model',
  name: 'My model',
  created: '2026-01-01',
  active: false,
})

function NewEntry() {
  const text = useText(messages)
  return (
    <Page title={text.newTitle} intro={<ToCatalogue />}>
      <p className="max-w-2xl text-muted">{text.newText}</p>
      <Panel title={text.entry}>
        <Editor base={undefined} firstText={template} />
      </Panel>
    </Page>
  )
}

function KnownEntry({ modelId }: { modelId: string }) {
  const query = useQuery({ query: entryDocument, variables: { id: modelId }, context: entryContext })
  const [{ data }] = query
  const entry = data?.catalogueEntry
  return (
    <Page
      title={entry?.model.name ?? modelId}
      intro={<ToCatalogue />}
      actions={entry && <DeleteModel model={entry.model} />}
    >
      <Loaded query={query} select={found => found.catalogueEntry} lines={10} missing={<UnknownModel />}>
        {found => <EntryPanels entry={found} />}
      </Loaded>
      <History modelId={modelId} />
    </Page>
  )
}

function UnknownModel() {
  const text = useText(messages)
  return (
    <Panel>
      <EmptyState icon="search" title={text.unknown}>
        {text.unknownText}
      </EmptyState>
    </Panel>
  )
}

function ToCatalogue() {
  const text = useText(messages)
  return (
    <Link to="/operator/catalogue" className="underline">
      {text.toCatalogue}
    </Link>
  )
}

/**
 * The editor keeps the version with which it was opened, also if the entry changes meanwhile: publishing then explains
 * the conflict.
 */
function EntryPanels({ entry }: { entry: Entry }) {
  const text = useText(messages)
  const format = useFormat()
  const { model, origin, declaration } = entry
  const [opened, setOpened] = useState({ revision: model.revision, declaration })
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Badge tone={model.isActive ? 'ok' : 'neutral'}>{model.isActive ? text.active : text.inactive}</Badge>
        <CopyText value={model.id} />
        <span className="text-muted">
          {text.revision(format.number(model.revision))}, {text.origins[origin]},{' '}
          <Time value={model.updatedAt} />
        </span>
      </div>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Panel title={text.entry}>
          <Editor
            key={opened.revision}
            base={opened}
            modelId={model.id}
            firstText={printEntry(opened.declaration)}
            onRebase={setOpened}
          />
        </Panel>
        <Panel title={text.published}>
          <div className="flex flex-col gap-6 p-5">
            {model.pricing ? <Prices pricing={model.pricing} /> : <p>{text.noPrices}</p>}
          </div>
        </Panel>
      </div>
    </>
  )
}
