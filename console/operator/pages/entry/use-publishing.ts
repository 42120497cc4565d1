import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useClient, useMutation } from 'urql'
import { type Faults, faultsOf } from '../../../graph/faults.ts'
import { useText } from '../../../text/language.ts'
import { notify } from '../../../ui/toasts.tsx'
import type { Base } from './conflict.tsx'
import { entryContext, entryDocument, putDocument } from './documents.ts'
import { messages } from './messages.ts'
import { type Place, placeOf } from './places.ts'
import { readEntry } from './read-entry.ts'

/** A fault of the text: where it is, if that is known, and what is wrong. */
export interface Fault {
  path: string
  message: string
  place: Place | undefined
}

/** What became of the last attempt to publish. */
interface Attempt {
  /** The entry that waits for the operator's confirmation. */
  entry?: object
  syntax?: Fault
  refused?: Faults
  /** The present version, if it was published after the version that the text is based on. */
  current?: Base | undefined
}

/** The steps from a text to a published entry: read it, ask, publish it, and explain why that failed. */
export function usePublishing({
  base,
  modelId,
  entered,
  onPublished,
}: {
  base: Base | undefined
  modelId: string | undefined
  entered: string
  /** Called with the version that is now published. */
  onPublished(published: Base): void
}) {
  const text = useText(messages)
  const client = useClient()
  const navigate = useNavigate()
  const [, put] = useMutation(putDocument)
  const [compared, setCompared] = useState(base)
  const [attempt, setAttempt] = useState<Attempt>({})

  const readCurrent = async (id: string): Promise<Base | undefined> => {
    const reading = client.query(entryDocument, { id }, { requestPolicy: 'network-only' })
    const entry = (await reading.toPromise()).data?.catalogueEntry
    return entry ? { revision: entry.model.revision, declaration: entry.declaration } : undefined
  }
  const publish = async (published: object) => {
    const input = { entry: published, expectedRevision: compared?.revision ?? 0 }
    const { data, error } = await put({ input }, entryContext)
    if (!data?.putModel) {
      const refused = faultsOf(error)
      const isConflict = modelId !== undefined && refused.problems.includes('conflict')
      setAttempt({ refused, current: isConflict ? await readCurrent(modelId) : undefined })
      return
    }
    notify(text.publishedNow)
    setAttempt({})
    const { id } = data.putModel.model
    const present = modelId === undefined ? undefined : await readCurrent(id)
    if (present) onPublished(present)
    else await navigate({ to: '/operator/catalogue/$modelId', params: { modelId: id } })
  }
  const { syntax, refused, entry, current } = attempt
  return {
    /** The version with which the text is compared, and over which it is published. */
    compared,
    entry,
    current,
    general: refused?.general,
    faults: [...(syntax ? [syntax] : []), ...faultsIn(refused, entered)],
    ask() {
      const read = readEntry(entered, text.noObject)
      if ('value' in read) setAttempt({ entry: read.value })
      else setAttempt({ syntax: { path: text.noJson, message: read.fault, place: read.place } })
    },
    publish,
    cancel: () => setAttempt({}),
    /** Publishes over the present version from now on. */
    keepOver(version: Base) {
      setCompared(version)
      setAttempt({})
    },
  }
}

/** Returns the faults of the entry with their places in the text. */
function faultsIn(faults: Faults | undefined, entered: string): Fault[] {
  return [...(faults?.fields ?? [])].map(([param, message]) => {
    const path = param.replace(/^entry\.?/, '')
    // The message begins with the parameter, too.
    const said = message.startsWith(`${param}: `) ? message.slice(param.length + 2) : message
    return { path: path || param, message: said, place: placeOf(entered, path) }
  })
}
