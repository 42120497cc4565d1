import { getRouteApi } from '@tanstack/react-router'
import { hasFilter, withFilter } from '../../lists/address.ts'
import { FilterSelect, Filters, FilterText } from '../../lists/filters.tsx'
import { KeyFilter, ModelFilter } from '../../lists/record-filters.tsx'
import { useText } from '../../text/language.ts'
import { messages } from './messages.ts'
import { periods, type UsageSearch } from './search.ts'

const route = getRouteApi('/account/usage')

/** The period and the filters. Each is a parameter of the address. */
export function UsageFilters() {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const search = route.useSearch()
  const { days = '30', model, key, endUser, metadata, by, label } = search
  const set = (name: keyof UsageSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  const clear = () => {
    const { measure } = search
    void navigate({ search: { by, label, measure, days } })
  }
  const isFiltered = hasFilter({ model, key, endUser, metadata, day: search.day })
  return (
    <Filters isFiltered={isFiltered} onClear={clear}>
      <FilterSelect
        label={text.period}
        none={null}
        value={days}
        options={periods.map(name => [name, text.periods[name]])}
        onChange={value =>
          // A day may lie outside of the new period.
          void navigate({ search: before => ({ ...withFilter('days', value)(before), day: undefined }) })
        }
      />
      <ModelFilter value={model} onChange={set('model')} />
      <KeyFilter value={key} onChange={set('key')} />
      <FilterText label={text.endUser} value={endUser} onChange={set('endUser')} />
      {by === 'metadata' ? (
        <FilterText
          label={text.label}
          placeholder={text.labelHint}
          value={label}
          onChange={value =>
            // A pair of another key cannot be combined with it.
            void navigate({
              search: before => ({ ...withFilter('label', value)(before), metadata: undefined }),
            })
          }
        />
      ) : (
        <FilterText
          label={text.metadata}
          placeholder={text.metadataHint}
          value={metadata}
          onChange={set('metadata')}
        />
      )}
    </Filters>
  )
}
