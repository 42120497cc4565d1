import { Link } from '@tanstack/react-router'
import { type DragEvent, useState } from 'react'
import { useMutation } from 'urql'
import { faultText } from '../../graph/faults.ts'
import { useRefusal } from '../../shell/permissions.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Badge } from '../../ui/page.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Time } from '../../ui/values.tsx'
import { type Credential, credentialsContext, updateCredentialDocument } from './documents.ts'
import { messages } from './messages.ts'
import { moved, prioritiesFor } from './order.ts'
import { TestCredential } from './test-credential.tsx'

/** The credentials of a vendor in the order in which requests try them. Buttons and dragging change the order. */
export function CredentialList({ credentials }: { credentials: readonly Credential[] }) {
  const text = useText(messages)
  const { ordered, isBusy, move } = useOrder(credentials)
  const [dragged, setDragged] = useState<number>()
  const [target, setTarget] = useState<number>()
  if (credentials.length === 0) return <p className="px-5 py-4 text-muted">{text.noneFor}</p>
  const drop = (event: DragEvent, to: number) => {
    event.preventDefault()
    if (dragged !== undefined && dragged !== to) move(dragged, to)
    setDragged(undefined)
    setTarget(undefined)
  }
  return (
    <>
      <ol className="divide-y divide-line" aria-busy={isBusy}>
        {ordered.map((credential, index) => (
          <li
            key={credential.id}
            onDragOver={event => {
              if (dragged === undefined) return
              event.preventDefault()
              setTarget(index)
            }}
            onDrop={event => drop(event, index)}
            className={`flex items-start gap-3 px-5 py-3 ${target === index && dragged !== index ? 'bg-hover' : ''} ${dragged === index ? 'opacity-55' : ''}`}
          >
            <Handle
              label={credential.label}
              isFirst={index === 0}
              isLast={index === ordered.length - 1}
              isBusy={isBusy}
              onMove={step => move(index, index + step)}
              onDrag={isDragged => {
                setDragged(isDragged ? index : undefined)
                if (!isDragged) setTarget(undefined)
              }}
            />
            <Row credential={credential} />
          </li>
        ))}
      </ol>
      <p className="border-t border-line px-5 py-3 text-sm text-muted">
        {credentials.some(({ alwaysUse }) => alwaysUse) ? text.always : text.fallback}
      </p>
    </>
  )
}

/** The order on the page, which changes at once, and the function that stores another one. */
function useOrder(credentials: readonly Credential[]) {
  const text = useText(messages)
  const format = useFormat()
  const [, update] = useMutation(updateCredentialDocument)
  const [shown, setShown] = useState<{ of: readonly Credential[]; order: readonly Credential[] }>()
  const [isBusy, setIsBusy] = useState(false)
  const ordered = shown?.of === credentials || isBusy ? (shown?.order ?? credentials) : credentials
  const store = async (order: readonly Credential[]) => {
    for (const input of prioritiesFor(order)) {
      const { error } = await update({ input }, credentialsContext)
      if (error) throw error
    }
  }
  const move = (from: number, to: number) => {
    const order = moved(ordered, from, to)
    setShown({ of: credentials, order })
    setIsBusy(true)
    store(order)
      .then(() => notify(text.movedTo(order[to]?.label ?? '', format.number(to + 1))))
      .catch((error: unknown) => {
        setShown(undefined)
        notify(faultText(error))
      })
      .finally(() => setIsBusy(false))
  }
  return { ordered, isBusy, move }
}

/** The buttons that move a credential, and what is dragged. Members who may not change credentials have neither. */
function Handle({
  label,
  isFirst,
  isLast,
  isBusy,
  onMove,
  onDrag,
}: {
  label: string
  isFirst: boolean
  isLast: boolean
  isBusy: boolean
  onMove(step: -1 | 1): void
  onDrag(isDragged: boolean): void
}) {
  const text = useText(messages)
  const isRefused = useRefusal()('Mutation.updateByokCredential') !== undefined
  if (isRefused || (isFirst && isLast)) return null
  return (
    <div className="-ml-2 flex items-center">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons beside it do the same by keyboard */}
      <span
        draggable={!isBusy}
        title={text.drag(label)}
        onDragStart={event => {
          event.dataTransfer.effectAllowed = 'move'
          event.dataTransfer.setData('text/plain', label)
          onDrag(true)
        }}
        onDragEnd={() => onDrag(false)}
        className="hidden cursor-grab px-1 py-2 text-muted sm:block"
      >
        <Icon name="grip" />
      </span>
      <span className="flex flex-col">
        <IconButton
          icon="up"
          label={text.up(label)}
          disabled={isFirst || isBusy}
          onClick={() => onMove(-1)}
          className="h-6"
        />
        <IconButton
          icon="chevron"
          label={text.down(label)}
          disabled={isLast || isBusy}
          onClick={() => onMove(1)}
          className="h-6"
        />
      </span>
    </div>
  )
}

function Row({ credential }: { credential: Credential }) {
  const text = useText(messages)
  const { id, label, apiKeyPrefix, disabled, alwaysUse, lastUsedAt, lastError } = credential
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            from="/credentials"
            search={{ credential: id }}
            className={`font-medium break-words hover:underline ${disabled ? 'text-muted' : ''}`}
          >
            {label}
          </Link>
          {disabled && <Badge>{text.disabled}</Badge>}
          {alwaysUse && <Badge tone="warn">{text.alwaysBadge}</Badge>}
        </p>
        <p className="text-sm text-muted">
          {apiKeyPrefix !== '' && <code className="mr-3 font-mono">{apiKeyPrefix}</code>}
          {lastUsedAt === null ? (
            text.neverUsed
          ) : (
            <>
              {text.lastUsed} <Time value={lastUsedAt} />
            </>
          )}
        </p>
        {lastError !== null && (
          <p className="text-sm break-words text-danger">
            {text.lastError}: {lastError}
          </p>
        )}
      </div>
      <TestCredential id={id} />
    </div>
  )
}
