import { useNavigate } from '@tanstack/react-router'
import { useQuery } from 'urql'
import {
  type Found,
  minSearchLength,
  modelWords,
  Palette,
  usePagesFound,
  withTitle,
} from '../frame/palette.tsx'
import { messages as paletteMessages } from '../frame/palette-messages.ts'
import { graphql } from '../graph/documents.ts'
import { useText } from '../text/language.ts'
import { messages } from './messages.ts'
import { useNavigation } from './navigation.ts'

const keysDocument = graphql(`
  query PaletteKeys { apiKeys(first: 100) { nodes { id name keyPrefix } } }
`)

const modelsDocument = graphql(`
  query PaletteModels($search: String!) {
    models(first: 6, filter: { search: $search }) { nodes { id name inferenceId } }
  }
`)

/** Finds pages, API keys and models by name, and requests and tasks by their IDs. */
export default function AccountPalette({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  return <Palette placeholder={text.palettePlaceholder} useFound={useFound} onClose={onClose} />
}

/** Returns what matches a text. */
function useFound(wanted: string): Found[] {
  const text = useText(messages)
  const palette = useText(paletteMessages)
  const navigate = useNavigate()
  const [{ data }] = useQuery({ query: keysDocument, requestPolicy: 'cache-first' })
  const [{ data: foundModels }] = useQuery({
    query: modelsDocument,
    variables: { search: modelWords(wanted) },
    pause: wanted.length < minSearchLength,
  })
  const pages = usePagesFound(useNavigation())
  const keys = (data?.apiKeys?.nodes ?? []).map(key => ({
    id: key.id,
    title: `${key.name} · ${key.keyPrefix}`,
    kind: text.key,
    open: () => void navigate({ to: '/keys', search: { key: key.id } }),
  }))
  const searched = wanted.length < minSearchLength ? [] : (foundModels?.models?.nodes ?? [])
  const models = searched.map(model => ({
    id: model.id,
    title: `${model.name} · ${model.inferenceId}`,
    kind: palette.model,
    open: () => void navigate({ to: '/models', search: { model: model.id } }),
  }))
  const [, prefix] = /^(req|task)_\w{8,}$/.exec(wanted) ?? []
  const record = prefix !== undefined && {
    id: wanted,
    title: wanted,
    kind: prefix === 'req' ? text.requests : text.tasks,
    open: () =>
      void (prefix === 'req'
        ? navigate({ to: '/requests', search: { request: wanted } })
        : navigate({ to: '/tasks', search: { task: wanted } })),
  }
  return [...(record ? [record] : []), ...withTitle([...pages, ...keys], wanted), ...models]
}
