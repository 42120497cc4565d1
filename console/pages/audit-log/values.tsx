import { useMemo } from 'react'
import { useQuery } from 'urql'
import { useText } from '../../text/language.ts'
import { Badge } from '../../ui/page.tsx'
import { actionMessages, actionText } from './actions.ts'
import { type EntryRow, type FoundTarget, targetsDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The action of an entry. An action that is not known to be completed has a mark. */
export function ActionName({ entry: { action, outcome } }: { entry: EntryRow }) {
  const text = useText(messages)
  const actions = useText(actionMessages)
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {actionText(actions, action)}
      {outcome === 'UNKNOWN' && <Badge tone="warn">{text.unfinished}</Badge>}
    </span>
  )
}

/** Returns the name of the user, API key or operator of an entry. */
export function useActorName(): (entry: EntryRow) => string {
  const text = useText(messages)
  return ({ actorKind, actorEmail, apiKey, operator }) => {
    if (actorKind === 'OPERATOR') return text.operator(operator ?? '')
    if (actorKind === 'SESSION') return actorEmail ?? text.unknownUser
    return apiKey?.name ?? text.unknownKey
  }
}

/** Finds the objects of entries. Deleted objects are not found. */
export function useTargets(entries: readonly EntryRow[]): ReadonlyMap<string, FoundTarget> {
  const ids = useMemo(() => [...new Set(entries.flatMap(({ targetId }) => targetId ?? []))], [entries])
  const [{ data }] = useQuery({ query: targetsDocument, variables: { ids }, pause: ids.length === 0 })
  return new Map((data?.nodes ?? []).flatMap(target => (target ? [[target.id, target]] : [])))
}

/** The type and the name of the object of an entry. */
export function TargetName({
  entry: { targetType, targetId },
  found,
}: {
  entry: EntryRow
  found: FoundTarget | undefined
}) {
  const text = useText(messages)
  const types: Record<string, string> = text.types
  const type = found?.__typename ?? targetType ?? ''
  const typeText = Object.hasOwn(types, type) ? types[type] : type
  const name = found && nameOf(found)
  if (!typeText) return <span className="block max-w-56 truncate text-muted">{targetId ?? '–'}</span>
  return (
    <span className="block max-w-56 truncate">
      {typeText} {name && <span className="text-muted">{name}</span>}
    </span>
  )
}

function nameOf(target: FoundTarget): string | undefined {
  if ('name' in target) return target.name
  if ('label' in target) return target.label
  if ('email' in target) return target.email
  return 'modelName' in target ? target.modelName : undefined
}
