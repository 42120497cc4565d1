import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useQuery, useSubscription } from 'urql'
import { useRepeatedRead } from '../../graph/use-repeated-read.ts'
import { CancelTask } from '../../tasks/cancel-task.tsx'
import { ShownDelivery } from '../../tasks/delivery.tsx'
import { deliveryIntervalMs } from '../../tasks/delivery-documents.ts'
import { messages as taskMessages } from '../../tasks/messages.ts'
import { TaskResult } from '../../tasks/task-result.tsx'
import { TaskState } from '../../tasks/task-state.tsx'
import { useText } from '../../text/language.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type DetailRow, Details, Money, Time } from '../../ui/values.tsx'
import { type TaskDetail, taskDocument, taskUpdatedDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The panel of one task: its result, what it cost, and its callback attempt by attempt. */
export function TaskDialog({ id, onClose }: { id: string; onClose(): void }) {
  const text = useText(messages)
  const query = useQuery({ query: taskDocument, variables: { id } })
  const [{ data }, execute] = query
  const task = data?.task
  const [{ data: change }] = useSubscription({
    query: taskUpdatedDocument,
    variables: { id },
    pause: task?.status !== 'PENDING',
  })
  const changedAt = change?.taskUpdated.updatedAt
  useEffect(() => {
    if (changedAt !== undefined) execute({ requestPolicy: 'network-only' })
  }, [changedAt, execute])
  useRepeatedRead(execute, {
    intervalMs: deliveryIntervalMs,
    isNeeded: task?.callbackDelivery?.state === 'PENDING',
  })
  return (
    <Dialog side title={text.task} onClose={onClose}>
      <Loaded query={query} select={found => found.task} lines={10} missing={text.missing}>
        {found => <Detail task={found} />}
      </Loaded>
    </Dialog>
  )
}

function Detail({ task }: { task: TaskDetail }) {
  const text = useText(messages)
  const { callbackDelivery, callbackUrl } = task
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-2">
        <CopyText value={task.id} />
        <div className="flex flex-wrap items-center gap-3">
          <TaskState task={task} />
          <Time value={task.createdAt} />
        </div>
      </div>
      <Section title={text.result}>
        <TaskResult task={task} />
        <div className="flex flex-wrap gap-2">
          <CancelTask task={task} />
          <Link
            to="/playground/$kind"
            params={{ kind: task.kind === 'VIDEO' ? 'videos' : 'audio' }}
            search={{ model: task.modelName }}
            className={buttonClass('secondary')}
          >
            {text.again}
          </Link>
        </div>
      </Section>
      <Section title={text.details}>
        <Facts task={task} />
      </Section>
      <Section title={text.callback}>
        {callbackDelivery ? (
          <ShownDelivery delivery={callbackDelivery} />
        ) : (
          <p className="text-muted">{callbackUrl === null ? text.noCallback : text.callbackLater}</p>
        )}
      </Section>
    </div>
  )
}

function Facts({ task }: { task: TaskDetail }) {
  const text = useText(messages)
  const { kinds } = useText(taskMessages)
  const time = (value: string | null) => value !== null && <Time value={value} />
  const rows: DetailRow[] = [
    [text.kind, kinds[task.kind]],
    [text.model, task.modelName],
    [text.key, task.apiKey?.name],
    [text.price, <Money key="price" amount={task.price} />],
    [text.held, task.status === 'PENDING' && <Money key="held" amount={task.held} />],
    [text.charged, task.cost !== null && <Money key="cost" amount={task.cost} />],
    [text.submitted, time(task.submittedAt)],
    [text.finished, time(task.finishedAt)],
    [text.cancelRequested, time(task.cancelRequestedAt)],
    [text.cancelRefused, time(task.cancelRefusedAt)],
    [
      text.request,
      task.request && (
        <Link to="/requests" search={{ request: task.request.id }} className="underline">
          {text.seeRequest}
        </Link>
      ),
    ],
  ]
  return <Details rows={rows} />
}
