import { useFormat, useText } from '../text/language.ts'
import { Badge, type Tone } from '../ui/page.tsx'
import type { Task } from './documents.ts'
import { messages } from './messages.ts'

const tones: Record<Task['state'], Tone> = {
  QUEUED: 'neutral',
  SUBMITTING: 'neutral',
  RUNNING: 'warn',
  STORING: 'warn',
  SUCCESS: 'ok',
  FAILED: 'danger',
  CANCELLED: 'neutral',
}

/** The state of a task, with its progress if the vendor reports it. */
export function TaskState({
  task: { state, progress, status, cancelRequestedAt, cancelRefusedAt },
}: {
  task: Task
}) {
  const text = useText(messages)
  const format = useFormat()
  const isOpen = status === 'PENDING'
  const isCancelling = isOpen && cancelRequestedAt !== null && cancelRefusedAt === null
  return (
    <Badge tone={tones[state]}>
      {isCancelling ? text.cancelling : text.states[state]}
      {isOpen && progress !== null && ` ${format.percent(progress / 100)}`}
    </Badge>
  )
}
