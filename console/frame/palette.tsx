import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { useText } from '../text/language.ts'
import { Dialog } from '../ui/dialog.tsx'
import type { PageItem } from './frame.tsx'
import { messages } from './palette-messages.ts'

/** Minimum length of a text with which the graph is searched. */
export const minSearchLength = 2

/** Maximum length of a text that the graph searches. */
const maxSearchLength = 200

/** Maximum number of results that are shown. */
const maxResults = 12

/** A page or a record that the palette can open. */
export interface Found {
  id: string
  title: string
  kind: string
  open(): void
}

/** The command palette: a field, and what is found with its text. Arrow keys choose, Enter opens. */
export function Palette({
  placeholder,
  useFound,
  onClose,
}: {
  placeholder: string
  /** Returns what is found with a text, the best first. It is a hook, the same at each render. */
  useFound(wanted: string): readonly Found[]
  onClose(): void
}) {
  const text = useText(messages)
  const id = useId()
  const [entered, setEntered] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useFound(entered.trim()).slice(0, maxResults)
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
        placeholder={placeholder}
        maxLength={maxSearchLength}
        value={entered}
        onKeyDown={onKeyDown}
        onChange={event => {
          setEntered(event.target.value)
          setChosen(0)
        }}
        className="h-10 w-full rounded-md border border-control bg-surface px-3 text-lg"
      />
      <div id={id} role="listbox" aria-label={text.results} className="mt-3">
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
          {text.empty}
        </p>
      )}
    </Dialog>
  )
}

/** Returns the pages that the palette opens. */
export function usePagesFound(groups: readonly { pages: readonly PageItem[] }[]): Found[] {
  const { page: kind } = useText(messages)
  const navigate = useNavigate()
  return groups.flatMap(({ pages }) =>
    pages.map(({ to, name: title }) => ({ id: to, title, kind, open: () => void navigate({ to }) })),
  )
}

/** Returns the words with which models are searched: `vendor_b/lyric-grand` is named Lyric Grand. */
export function modelWords(wanted: string): string {
  return wanted.replace(/^.*\//, '').replaceAll('-', ' ')
}

/** Keeps what has a text in its title. Titles that begin with it come first. */
export function withTitle(found: readonly Found[], wanted: string): Found[] {
  const placeIn = ({ title }: Found) => title.toLowerCase().indexOf(wanted.toLowerCase())
  return found
    .filter(one => placeIn(one) >= 0)
    .toSorted((one, other) => Math.min(placeIn(one), 1) - Math.min(placeIn(other), 1))
}
