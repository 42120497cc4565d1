import { getRouteApi } from '@tanstack/react-router'
import { hasFilter, withFilter } from '../../lists/address.ts'
import { FilterSelect, Filters } from '../../lists/filters.tsx'
import { KeyFilter, ModelFilter } from '../../lists/record-filters.tsx'
import { useText } from '../../text/language.ts'
import { messages } from './messages.ts'
import { periods, type RequestsSearch, statusClasses } from './search.ts'

const route = getRouteApi('/account/requests')

/** The filters of the list. Each is a parameter of the address. */
export function RequestFilters() {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const { model, key, status, hours, slot, columns } = route.useSearch()
  const set = (name: keyof RequestsSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  const isFiltered = hasFilter({ model, key, status, hours, slot })
  return (
    <Filters isFiltered={isFiltered} onClear={() => void navigate({ search: { columns } })}>
      <FilterSelect
        label={text.period}
        none={text.allTime}
        value={hours}
        options={periods.map(name => [name, text.periods[name]])}
        // The bars of another period are others.
        onChange={value =>
          void navigate({ search: before => ({ ...withFilter('hours', value)(before), slot: undefined }) })
        }
      />
      <FilterSelect
        label={text.status}
        value={status}
        options={statusClasses.map(name => [name, text.statuses[name]])}
        onChange={set('status')}
      />
      <ModelFilter value={model} onChange={set('model')} />
      <KeyFilter value={key} onChange={set('key')} />
    </Filters>
  )
}
