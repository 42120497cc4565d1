import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useQuery } from 'urql'
import { atPage, hasFilter, pageArguments, withFilter } from '../../lists/address.ts'
import { FilterSelect, Filters, FilterText } from '../../lists/filters.tsx'
import { NoneMatches } from '../../lists/none-matches.tsx'
import { PagedList } from '../../lists/paged-list.tsx'
import type { Rate } from '../../prices/documents.ts'
import { useFormat, useText } from '../../text/language.ts'
import { priceNames } from '../../text/price-names.ts'
import { Badge, Page, Panel } from '../../ui/page.tsx'
import type { Column } from '../../ui/table.tsx'
import { type ModelRow, modelsDocument } from './documents.ts'
import { messages } from './messages.ts'
import { ModelDialog } from './model-dialog.tsx'
import { type ModelsSearch, modalities, vendors } from './search.ts'
import { useCatalogueChanges } from './use-catalogue-changes.ts'

const route = getRouteApi('/account/models')
const pageSize = 50

export default function ModelsPage() {
  const text = useText(messages)
  const { model, ...shown } = route.useSearch()
  const navigate = route.useNavigate()
  const { changed, revision } = useCatalogueChanges()
  const query = useQuery({
    query: modelsDocument,
    variables: { ...pageArguments(shown, pageSize), filter: filterOf(shown) },
  })
  const [, read] = query
  useEffect(() => {
    if (changed.size > 0 && revision !== undefined) read({ requestPolicy: 'network-only' })
  }, [changed, revision, read])
  const columns = useColumns(changed)
  return (
    <Page title={text.title} intro={text.intro}>
      <ModelFilters />
      <Panel>
        <PagedList
          query={query}
          select={data => data.models}
          lines={8}
          caption={text.title}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<NoneMatches />}
          onTurn={place => void navigate({ search: atPage(place) })}
        />
      </Panel>
      {model !== undefined && (
        <ModelDialog id={model} revision={revision} onClose={() => void navigate({ search: shown })} />
      )}
    </Page>
  )
}

function filterOf({ search, task, vendor }: ModelsSearch) {
  return {
    search: search ?? null,
    modalities: task === undefined ? null : [task],
    providers: vendor === undefined ? null : [vendor as ModelRow['provider']],
  }
}

function ModelFilters() {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const { search, task, vendor } = route.useSearch()
  const set = (name: keyof ModelsSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  const isFiltered = hasFilter({ search, task, vendor })
  return (
    <Filters isFiltered={isFiltered} onClear={() => void navigate({ search: {} })}>
      <FilterText label={text.search} value={search} onChange={set('search')} />
      <FilterSelect
        label={text.task}
        value={task}
        options={modalities.map(name => [name, text.tasks[name]])}
        onChange={set('task')}
      />
      <FilterSelect
        label={text.vendor}
        value={vendor}
        options={vendors.map(name => [name, name.toLowerCase()])}
        onChange={set('vendor')}
      />
    </Filters>
  )
}

function useColumns(changed: ReadonlySet<string>): Column<ModelRow>[] {
  const text = useText(messages)
  const format = useFormat()
  return [
    {
      id: 'name',
      header: text.name,
      cell: ({ id, name, inferenceId, isPopular }) => (
        <Link from="/models" search={before => ({ ...before, model: id })} className="group block min-w-40">
          <span className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium group-hover:underline">{name}</span>
            {isPopular && <Badge>{text.popular}</Badge>}
            {changed.has(id) && <Badge tone="ok">{text.updated}</Badge>}
          </span>
          <span className="block font-mono text-xs wrap-anywhere text-muted">{inferenceId}</span>
        </Link>
      ),
    },
    {
      id: 'takes',
      header: text.takes,
      from: '4xl',
      cell: ({ inputs }) => (
        <span className="text-muted">{inputs.map(name => text.inputs[name]).join(', ')}</span>
      ),
    },
    {
      id: 'context',
      header: text.context,
      align: 'end',
      from: '4xl',
      cell: ({ contextTokens }) => contextTokens !== null && format.compact(contextTokens),
    },
    {
      id: 'input',
      header: text.input,
      align: 'end',
      from: 'xl',
      cell: ({ modality, pricing }) =>
        modality === 'CHAT' && <Price rates={pricing?.rates ?? []} of="input" />,
    },
    {
      id: 'cached',
      header: text.cached,
      align: 'end',
      from: '4xl',
      cell: ({ pricing }) => pricing?.cache?.read && format.money(pricing.cache.read),
    },
    {
      id: 'output',
      header: text.output,
      align: 'end',
      cell: ({ modality, pricing }) => {
        const rates = pricing?.rates ?? []
        if (modality !== 'CHAT') return <Cheapest rates={rates} />
        return (
          <>
            <Price rates={rates} of="output" />
            <span className="block text-xs whitespace-nowrap text-muted @xl:hidden">
              {text.shortInput}: <Price rates={rates} of="input" />
            </span>
          </>
        )
      },
    },
  ]
}

/** The price of a kind of token without conditions. */
function Price({ rates, of }: { rates: readonly Rate[]; of: string }) {
  const format = useFormat()
  const rate = rates.find(one => one.of === of && one.abovePromptTokens === null)
  return rate && format.money(rate.price)
}

/** The lowest of several prices, which depend on parameters. */
function Cheapest({ rates }: { rates: readonly Rate[] }) {
  const text = useText(messages)
  const names = useText(priceNames)
  const format = useFormat()
  const [lowest] = rates.toSorted((one, other) => Number(one.price) - Number(other.price))
  if (!lowest) return null
  const price = format.money(lowest.price)
  return (
    <span className="inline-flex flex-col items-end whitespace-nowrap">
      {rates.length > 1 ? text.from(price) : price}
      <span className="text-xs text-muted">{names.per(lowest.unit)}</span>
    </span>
  )
}
