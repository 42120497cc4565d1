import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { hasFilter, withFilter } from '../../lists/address.ts'
import { FilterSelect, Filters } from '../../lists/filters.tsx'
import { KeyFilter } from '../../lists/record-filters.tsx'
import { messages as taskMessages } from '../../tasks/messages.ts'
import { useText } from '../../text/language.ts'
import { filtersDocument } from './documents.ts'
import { messages } from './messages.ts'
import { kinds, statuses, type TasksSearch } from './search.ts'

const route = getRouteApi('/account/tasks')

/** The filters of the list. Each is a parameter of the address. */
export function TaskFilters() {
  const text = useText(messages)
  const { kinds: kindNames } = useText(taskMessages)
  const navigate = route.useNavigate()
  const { kind, status, model, key } = route.useSearch()
  const [{ data }] = useQuery({ query: filtersDocument })
  const models = new Set((data?.tasks?.nodes ?? []).map(({ modelName }) => modelName))
  if (model !== undefined) models.add(model)
  const set = (name: keyof TasksSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  const isFiltered = hasFilter({ kind, status, model, key })
  return (
    <Filters isFiltered={isFiltered} onClear={() => void navigate({ search: {} })}>
      <FilterSelect
        label={text.kind}
        value={kind}
        options={kinds.map(name => [name, kindNames[name]])}
        onChange={set('kind')}
      />
      <FilterSelect
        label={text.status}
        value={status}
        options={statuses.map(name => [name, text.statuses[name]])}
        onChange={set('status')}
      />
      <FilterSelect
        label={text.model}
        value={model}
        options={[...models].map(name => [name, name])}
        onChange={set('model')}
      />
      <KeyFilter value={key} onChange={set('key')} />
    </Filters>
  )
}
