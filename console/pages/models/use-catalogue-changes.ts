import { useEffect, useRef, useState } from 'react'
import { useSubscription } from 'urql'
import { useFormat, useText } from '../../text/language.ts'
import { notify } from '../../ui/toasts.tsx'
import { catalogueDocument } from './documents.ts'
import { messages } from './messages.ts'

/**
 * Follows the catalogue. Returns the IDs of the models that have changed since the page was opened, and the revision with
 * which to read them again. Each change is announced.
 */
export function useCatalogueChanges(): { changed: ReadonlySet<string>; revision: number | undefined } {
  const text = useText(messages)
  const format = useFormat()
  const [{ data }] = useSubscription({ query: catalogueDocument })
  const update = data?.modelsUpdated
  const first = useRef<number>()
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    if (!update) return
    first.current ??= update.revision
    if (update.revision === first.current) return
    const { models, withdrawnModelIds } = update
    setChanged(before => new Set([...before, ...models.map(({ id }) => id)]))
    if (models.length > 0) notify(text.changed(models.map(({ name }) => name).join(', ')))
    if (withdrawnModelIds.length > 0) notify(text.withdrawn(format.number(withdrawnModelIds.length)))
  }, [update, text, format])
  return { changed, revision: update?.revision }
}
