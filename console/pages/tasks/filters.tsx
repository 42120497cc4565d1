import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { withFilter } from '../../lists/address.ts'
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
  const isFiltered = [kind, status, model, key].some(value => value !== undefined)
  return (
    <Filters onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
      <FilterSelect
        label={text.kind}
        none={text.all}
        value={kind}
        options={kinds.map(name => [name, kindNames[name]])}
        onChange={set('kind')}
      />
      <FilterSelect
        label={text.status}
        none={text.all}
        value={status}
        options={statuses.map(name => [name, text.statuses[name]])}
        onChange={set('status')}
      />
      <FilterSelect
        label={text.model}
        none={text.all}
        value={model}
        options={[...models].map(name => [name, name])}
        onChange={set('model')}
      />
      <KeyFilter value={key} onChange={set('key')} />
    </Filters>
  )
}
