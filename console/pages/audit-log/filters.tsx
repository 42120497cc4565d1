import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { hasFilter, withFilter } from '../../lists/address.ts'
import { FilterSelect, Filters, FilterText } from '../../lists/filters.tsx'
import { useLanguage, useText } from '../../text/language.ts'
import { actionMessages, actionText } from './actions.ts'
import { actorsDocument } from './documents.ts'
import { messages } from './messages.ts'
import type { AuditSearch } from './search.ts'

const route = getRouteApi('/account/audit-log')

/** The filters of the list. Each is a parameter of the address. */
export function AuditFilters() {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const { action, actor, target, from, to } = route.useSearch()
  const actions = useActions(action)
  const actors = useActors(actor)
  const set = (name: keyof AuditSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  const isFiltered = hasFilter({ action, actor, target, from, to })
  return (
    <Filters isFiltered={isFiltered} onClear={() => void navigate({ search: {} })}>
      <FilterSelect label={text.action} value={action} options={actions} onChange={set('action')} />
      <FilterSelect label={text.actor} value={actor} options={actors} onChange={set('actor')} />
      <FilterText label={text.targetId} value={target} onChange={set('target')} />
      <FilterText label={text.from} type="date" value={from} onChange={set('from')} />
      <FilterText label={text.to} type="date" value={to} onChange={set('to')} />
    </Filters>
  )
}

type Option = readonly [value: string, text: string]

/** The actions in alphabetical order, with the chosen one in any case. */
function useActions(chosen: string | undefined): Option[] {
  const texts = useText(actionMessages)
  const language = useLanguage()
  const names = new Set(Object.keys(texts))
  if (chosen !== undefined) names.add(chosen)
  return [...names]
    .map((name): Option => [name, actionText(texts, name)])
    .sort(([, one], [, other]) => one.localeCompare(other, language))
}

/** The users and API keys of the account. A chosen one that has left the account is named by its ID. */
function useActors(chosen: string | undefined): Option[] {
  const [{ data }] = useQuery({ query: actorsDocument })
  const actors: Option[] = [
    ...(data?.members?.nodes ?? []).map(({ id, email }): Option => [id, email]),
    ...(data?.apiKeys?.nodes ?? []).map(({ id, name }): Option => [id, name]),
  ]
  const isKnown = chosen === undefined || actors.some(([id]) => id === chosen)
  return isKnown ? actors : [...actors, [chosen, chosen]]
}
