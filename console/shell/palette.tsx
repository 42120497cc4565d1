import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { useQuery } from 'urql'
import { graphql } from '../graph/documents.ts'
import { useText } from '../text/language.ts'
import { Dialog } from '../ui/dialog.tsx'
import { messages } from './messages.ts'
import { navigation } from './navigation.ts'

const keysDocument = graphql(`
  query PaletteKeys { apiKeys(first: 100) { nodes { id name keyPrefix } } }
`)

const modelsDocument = graphql(`
  query PaletteModels($search: String!) {
    models(first: 6, filter: { search: $search }) { nodes { id name inferenceId } }
  }
`)

/** Minimum length of a text that models are searched for. */
const minSearchLength = 2

/** Maximum number of results that are shown. */
const maxResults = 12

interface Found {
  id: string
  title: string
  kind: string
  open(): void
}

/** Finds pages, API keys and models by name, and requests and tasks by their IDs. Arrow keys choose, Enter opens. */
export default function Palette({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const id = useId()
  const [entered, setEntered] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useFound(entered.trim())
  const open = (item: Found | undefined) => {
    if (!item) return
    item.open()
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault() // otherwise Enter also presses the first button of a dialog that opens
    if (step === undefined) open(found[chosen])
    else setChosen(index => Math.max(0, Math.min(found.length - 1, index + step)))
  }
  return (
    <Dialog title={text.palette} onClose={onClose}>
      <input
        role="combobox"
        aria-label={text.palette}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[chosen] ? `${id}-${chosen}` : undefined}
        autoComplete="off"
        placeholder={text.palettePlaceholder}
        value={entered}
        onKeyDown={onKeyDown}
        onChange={event => {
          setEntered(event.target.value)
          setChosen(0)
        }}
        className="h-10 w-full rounded-md border border-control bg-surface px-3 text-lg"
      />
      <div id={id} role="listbox" aria-label={text.search} className="mt-3">
        {found.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard
          <div
            key={item.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(item)}
            className="flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 hover:bg-hover aria-selected:bg-hover"
          >
            <span className="min-w-0 flex-1 truncate">{item.title}</span>
            <span className="text-xs text-muted">{item.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p role="status" className="px-3 py-2 text-muted">
          {text.paletteEmpty}
        </p>
      )}
    </Dialog>
  )
}

/** Returns what matches a text. */
function useFound(wanted: string): Found[] {
  const text = useText(messages)
  const navigate = useNavigate()
  const [{ data }] = useQuery({ query: keysDocument, requestPolicy: 'cache-first' })
  const [{ data: foundModels }] = useQuery({
    query: modelsDocument,
    // The graph finds words of names, and `vendor_b/lyric-grand` is named Lyric Grand.
    variables: { search: wanted.replace(/^.*\//, '').replaceAll('-', ' ') },
    pause: wanted.length < minSearchLength,
  })
  const matches = (title: string) => title.toLowerCase().includes(wanted.toLowerCase())
  const pages = navigation.map(({ to, text: name }) => ({
    id: to,
    title: text[name],
    kind: text.page,
    open: () => void navigate({ to }),
  }))
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
    kind: text.model,
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
  return [
    ...(record ? [record] : []),
    ...pages.filter(({ title }) => matches(title)),
    ...keys.filter(({ title }) => matches(title)),
    ...models,
  ].slice(0, maxResults)
}
