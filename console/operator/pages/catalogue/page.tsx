import { getRouteApi, Link } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { atPage, hasFilter, pageArguments, withFilter } from '../../../lists/address.ts'
import { FilterSelect, Filters, FilterText } from '../../../lists/filters.tsx'
import { PagedList } from '../../../lists/paged-list.tsx'
import type { Rate } from '../../../prices/documents.ts'
import { useFormat, useText } from '../../../text/language.ts'
import { priceNames } from '../../../text/price-names.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Badge, Page, Panel } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { type CatalogueModel, catalogueDocument, modelsContext } from './documents.ts'
import { messages } from './messages.ts'
import { type CatalogueSearch, outputs } from './search.ts'

const route = getRouteApi('/operator/catalogue')
const pageSize = 50

export default function CataloguePage() {
  const text = useText(messages)
  const { search, output, state, ...place } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = {
    search: search ?? null,
    modalities: output === undefined ? null : [output],
    isActive: state !== 'inactive',
  }
  const query = useQuery({
    query: catalogueDocument,
    variables: { ...pageArguments(place, pageSize), filter },
    context: modelsContext,
  })
  const columns = useColumns()
  const isFiltered = hasFilter({ search, output, state })
  const set = (name: keyof CatalogueSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  return (
    <Page
      title={text.title}
      intro={text.intro}
      actions={
        <Link
          to="/operator/catalogue/$modelId"
          params={{ modelId: 'new' }}
          className={buttonClass('primary')}
        >
          <Icon name="plus" />
          {text.add}
        </Link>
      }
    >
      <Filters isFiltered={isFiltered} onClear={() => void navigate({ search: {} })}>
        <FilterText label={text.search} value={search} onChange={set('search')} />
        <FilterSelect
          label={text.output}
          value={output}
          options={outputs.map(name => [name, text.outputs[name]])}
          onChange={set('output')}
        />
        <FilterSelect
          label={text.state}
          none={text.active}
          value={state}
          options={[['inactive', text.inactive]]}
          onChange={set('state')}
        />
      </Filters>
      <Panel>
        <PagedList
          query={query}
          select={data => data.models}
          lines={8}
          caption={text.title}
          columns={columns}
          keyOf={({ id }) => id}
          dimmed={({ isActive }) => !isActive}
          isFiltered={isFiltered}
          empty={
            <EmptyState icon="models" title={text.emptyTitle}>
              {text.empty}
            </EmptyState>
          }
          onTurn={turned => void navigate({ search: atPage(turned) })}
        />
      </Panel>
    </Page>
  )
}

function useColumns(): Column<CatalogueModel>[] {
  const text = useText(messages)
  const format = useFormat()
  return [
    {
      id: 'model',
      header: text.model,
      cell: ({ id, name, isPopular }) => (
        <Link to="/operator/catalogue/$modelId" params={{ modelId: id }} className="group block min-w-28">
          <span className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium group-hover:underline">{name}</span>
            {isPopular && <Badge>{text.popular}</Badge>}
          </span>
          <span className="block font-mono text-xs wrap-anywhere text-muted">{id}</span>
        </Link>
      ),
    },
    {
      id: 'vendor',
      header: text.vendor,
      from: '4xl',
      cell: ({ provider }) => provider.toLowerCase(),
    },
    {
      id: 'output',
      header: text.output,
      from: '4xl',
      cell: ({ modality }) => text.outputs[modality],
    },
    {
      id: 'updated',
      header: text.updatedAt,
      from: '4xl',
      cell: ({ updatedAt }) => <Time value={updatedAt} />,
    },
    {
      id: 'revision',
      header: text.revision,
      align: 'end',
      from: '4xl',
      cell: ({ revision }) => format.number(revision),
    },
    {
      id: 'prices',
      header: text.prices,
      align: 'end',
      cell: ({ pricing }) => <Rates rates={pricing?.rates ?? []} />,
    },
  ]
}

/** The prices of input and output, or else the first price. All of them are on the page of the model. */
function Rates({ rates }: { rates: readonly Rate[] }) {
  const text = useText(messages)
  const names = useText(priceNames)
  const format = useFormat()
  const usual = rates.filter(({ abovePromptTokens }) => abovePromptTokens === null)
  const tokens = ['input', 'output'].flatMap(of => usual.find(rate => rate.of === of) ?? [])
  const shown = tokens.length > 0 ? tokens : rates.slice(0, 1)
  const [first] = shown
  if (!first) return <>{text.free}</>
  return (
    <span className="inline-flex flex-col items-end">
      <span className="whitespace-nowrap">{shown.map(({ price }) => format.money(price)).join(' / ')}</span>
      <span className="text-xs text-muted">{names.per(first.unit)}</span>
    </span>
  )
}
