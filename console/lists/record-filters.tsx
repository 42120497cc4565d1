import { useQuery } from 'urql'
import { graphql } from '../graph/documents.ts'
import { useText } from '../text/language.ts'
import { FilterSelect } from './filters.tsx'
import { messages } from './messages.ts'

const keysDocument = graphql(`query FilterKeys { apiKeys(first: 100) { nodes { id name } } }`)

const modelsDocument = graphql(`
  query FilterModels {
    usage(first: 100, groupBy: [MODEL], orderBy: { field: REQUESTS, direction: DESC }) { nodes { modelName } }
  }
`)

interface RecordFilter {
  value: string | undefined
  onChange(value: string): void
}

/** The filter by API key: the latest keys, and the chosen one in any case, by its ID if it is another. */
export function KeyFilter(filter: RecordFilter) {
  const text = useText(messages)
  const [{ data }] = useQuery({ query: keysDocument })
  const keys = new Map((data?.apiKeys?.nodes ?? []).map(({ id, name }) => [id, name]))
  const { value } = filter
  if (data && value !== undefined && !keys.has(value)) keys.set(value, value)
  return <FilterSelect {...filter} label={text.key} options={[...keys]} />
}

/** The filter by model: the models of requests, and the chosen one in any case. */
export function ModelFilter(filter: RecordFilter) {
  const text = useText(messages)
  const [{ data }] = useQuery({ query: modelsDocument })
  const models = new Set((data?.usage?.nodes ?? []).flatMap(({ modelName }) => modelName || []))
  if (filter.value !== undefined) models.add(filter.value)
  return <FilterSelect {...filter} label={text.model} options={[...models].map(name => [name, name])} />
}
