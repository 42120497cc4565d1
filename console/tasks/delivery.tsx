import { useMutation } from 'urql'
import { faultText } from '../graph/faults.ts'
import { PermittedButton } from '../shell/permissions.tsx'
import { useFormat, useText } from '../text/language.ts'
import { CopyText } from '../ui/copy.tsx'
import { Badge, type Tone } from '../ui/page.tsx'
import { notify } from '../ui/toasts.tsx'
import { Time } from '../ui/values.tsx'
import { type Delivery, sendAgainDocument } from './delivery-documents.ts'
import { deliveryMessages as messages } from './delivery-messages.ts'

const tones: Record<Delivery['state'], Tone> = {
  PENDING: 'warn',
  DELIVERED: 'ok',
  FAILED: 'danger',
  GONE: 'danger',
}

export function DeliveryState({ state }: Pick<Delivery, 'state'>) {
  const text = useText(messages)
  return <Badge tone={tones[state]}>{text.states[state]}</Badge>
}

/** A delivery attempt by attempt, with the button that sends it again. */
export function ShownDelivery({ delivery }: { delivery: Delivery }) {
  const text = useText(messages)
  const { id, url, state, nextTryAt, tries } = delivery
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <DeliveryState state={state} />
        <CopyText value={id} />
      </div>
      <p className="font-mono text-sm wrap-anywhere">{url}</p>
      {nextTryAt !== null && (
        <p className="text-sm text-muted">
          {text.nextTry} <Time value={nextTryAt} />
        </p>
      )}
      {tries && tries.length > 0 && (
        <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {tries.map(attempt => (
            <Try key={attempt.number} attempt={attempt} />
          ))}
        </ol>
      )}
      <SendAgain id={id} />
    </div>
  )
}

function Try({ attempt }: { attempt: NonNullable<Delivery['tries']>[number] }) {
  const text = useText(messages)
  const format = useFormat()
  const { number, startedAt, durationMs, status, error, answer } = attempt
  return (
    <li className="flex flex-col gap-1 px-4 py-2.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span>
          {number}. <Time value={startedAt} />
        </span>
        <span className="text-muted">
          {status ?? (error === null ? text.running : text.noResponse)}
          {durationMs !== null && ` · ${format.duration(durationMs)}`}
        </span>
      </div>
      {error !== null && <p className="text-sm break-words text-danger">{error}</p>}
      {answer !== null && answer !== '' && (
        <details className="text-sm">
          <summary className="text-muted hover:text-ink">{text.answer}</summary>
          <pre className="mt-1 font-mono break-words whitespace-pre-wrap">{answer}</pre>
        </details>
      )}
    </li>
  )
}

function SendAgain({ id }: { id: string }) {
  const text = useText(messages)
  const [{ fetching }, sendAgain] = useMutation(sendAgainDocument)
  const run = async () => {
    const { error } = await sendAgain({ input: { id } })
    notify(error ? faultText(error) : text.sent)
  }
  return (
    <PermittedButton
      field="Mutation.sendCallbackAgain"
      className="self-start"
      isBusy={fetching}
      onClick={() => void run()}
    >
      {text.sendAgain}
    </PermittedButton>
  )
}
