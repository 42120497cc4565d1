import { useText } from '../../text/language.ts'
import { Badge, type Tone } from '../../ui/page.tsx'
import { messages } from './messages.ts'

/** The status of a request, with its error. */
export function RequestStatus({
  request: { status, errorCode },
}: {
  request: { status: number; errorCode: string | null }
}) {
  const text = useText(messages)
  const tone: Tone = status < 400 && errorCode === null ? 'ok' : status < 500 ? 'warn' : 'danger'
  return (
    <Badge tone={tone}>
      {status} {errorCode ?? (status < 400 ? text.succeeded : '')}
    </Badge>
  )
}
