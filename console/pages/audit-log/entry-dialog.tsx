import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useQuery } from 'urql'
import { useText } from '../../text/language.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type DetailRow, Details, Time } from '../../ui/values.tsx'
import { type EntryDetail, entryDocument, type FoundTarget } from './documents.ts'
import { messages } from './messages.ts'
import { ActionName, TargetName, useActorName, useTargets } from './values.tsx'

/** The panel of one entry: who did what to which object, from where, and the names of the fields that were set. */
export function EntryDialog({ id, onClose }: { id: string; onClose(): void }) {
  const text = useText(messages)
  const query = useQuery({ query: entryDocument, variables: { id } })
  return (
    <Dialog side title={text.entry} onClose={onClose}>
      <Loaded
        query={query}
        select={({ node }) => (node?.__typename === 'AuditEntry' ? node : null)}
        lines={8}
        missing={text.missing}
      >
        {entry => <Detail entry={entry} />}
      </Loaded>
    </Dialog>
  )
}

function Detail({ entry }: { entry: EntryDetail }) {
  const text = useText(messages)
  const actorName = useActorName()
  const targets = useTargets(useMemo(() => [entry], [entry]))
  const target = targets.get(entry.targetId ?? '')
  const rows: DetailRow[] = [
    [text.actor, actorName(entry)],
    [text.credential, entry.actorKind !== 'OPERATOR' && text.kinds[entry.actorKind]],
    [
      text.target,
      entry.targetType !== null || target ? <TargetName key="target" entry={entry} found={target} /> : null,
    ],
    [text.targetId, entry.targetId !== null && <CopyText key="id" value={entry.targetId} />],
    [text.fields, entry.fields.join(', ')],
    [text.reason, entry.reason],
    [text.address, entry.address],
    [text.requestId, entry.requestId !== null && <CopyText key="request" value={entry.requestId} />],
  ]
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-2">
        <p className="text-lg font-semibold">
          <ActionName entry={entry} />
        </p>
        <Time value={entry.createdAt} />
        {entry.outcome === 'UNKNOWN' && <p className="text-sm text-warn">{text.unfinishedText}</p>}
        <CopyText value={entry.id} />
      </div>
      <Section title={text.details}>
        <Details rows={rows} />
        {target && <OpenTarget target={target} />}
      </Section>
      <More entry={entry} />
    </div>
  )
}

const linkLook = `${buttonClass('secondary')} self-start`

/** A link to the object, if a page shows it. */
function OpenTarget({ target: { __typename, id } }: { target: FoundTarget }) {
  const text = useText(messages)
  switch (__typename) {
    case 'ApiKey':
      return (
        <Link to="/keys" search={{ key: id }} className={linkLook}>
          {text.open}
        </Link>
      )
    case 'Budget':
      return (
        <Link to="/budgets" search={{ budget: id }} className={linkLook}>
          {text.open}
        </Link>
      )
    case 'ByokCredential':
      return (
        <Link to="/credentials" search={{ credential: id }} className={linkLook}>
          {text.open}
        </Link>
      )
    case 'CallbackDelivery':
      return (
        <Link to="/callbacks" search={{ delivery: id }} className={linkLook}>
          {text.open}
        </Link>
      )
    case 'Task':
      return (
        <Link to="/tasks" search={{ task: id }} className={linkLook}>
          {text.open}
        </Link>
      )
    default:
      return null
  }
}

/** Links to the entries with the same actor, and with the same object. */
function More({ entry: { user, apiKey, targetId } }: { entry: EntryDetail }) {
  const text = useText(messages)
  const actorId = user?.id ?? apiKey?.id
  if (actorId === undefined && targetId === null) return null
  return (
    <Section title={text.more}>
      <div className="flex flex-wrap gap-2">
        {actorId !== undefined && (
          <Link to="/audit-log" search={{ actor: actorId }} className={linkLook}>
            {text.sameActor}
          </Link>
        )}
        {targetId !== null && (
          <Link to="/audit-log" search={{ target: targetId }} className={linkLook}>
            {text.sameTarget}
          </Link>
        )}
      </div>
    </Section>
  )
}
