import { type ReactNode, useEffect } from 'react'
import type { CombinedError, OperationContext } from 'urql'
import { faultsOf, isNotFound, isUnreachable } from '../graph/faults.ts'
import { onRecovery } from '../session/connection.ts'
import { useText } from '../text/language.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { messages } from './messages.ts'

/** A place that has no content yet: what will be here, and the next step. */
export function EmptyState({
  icon,
  title,
  titleAs: Title = 'p',
  children,
  action,
}: {
  icon: IconName
  title: string
  /** `h1` if the page has nothing else. */
  titleAs?: 'p' | 'h1'
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <span className="mb-1 rounded-lg bg-hover p-2.5 text-muted">
        <Icon name={icon} className="size-5" />
      </span>
      <Title className="text-lg font-semibold">{title}</Title>
      {children && <p className="max-w-md text-muted">{children}</p>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}

/** The error of a part of a page. The rest of the page works. If the service did not answer, the part is read again when it does. */
export function ErrorState({ error, retry }: { error: CombinedError; retry(): void }) {
  const text = useText(messages)
  useEffect(() => (isUnreachable(error) ? onRecovery(retry) : undefined), [error, retry])
  const reason = faultsOf(error).general ?? text.failed
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 px-5 py-6">
      <Icon name="warning" className="text-danger" />
      <p className="min-w-0 flex-1">{reason}</p>
      <Button onClick={retry}>{text.retry}</Button>
    </div>
  )
}

/** Grey bars in place of content that is being loaded. They appear after a moment, so that fast answers do not flicker. */
export function Loading({ lines = 3 }: { lines?: number }) {
  const text = useText(messages)
  return (
    <div role="status" aria-label={text.loading} className="flex flex-col gap-3 p-5">
      {Array.from({ length: lines }, (_, line) => (
        <div
          key={`line ${line.toString()}`}
          className="h-4 animate-pulse rounded-sm bg-hover last:w-2/3 motion-reduce:animate-none"
        />
      ))}
    </div>
  )
}

/** The result of urql's `useQuery`, and the function that sends the query again. */
export type Query<Data> = readonly [
  state: { data?: Data | undefined; error?: CombinedError | undefined; fetching: boolean },
  execute: (options?: Partial<OperationContext>) => void,
]

/**
 * The result of a query: a placeholder, the error, or the content. Data that is there is shown also if a part of it
 * failed or is being loaded again. `select` returns the part to show, or null if it is missing.
 */
export function Loaded<Data, Part>({
  query: [{ data, error, fetching }, execute],
  select,
  lines,
  missing,
  children,
}: {
  query: Query<Data>
  select(data: Data): Part | null | undefined
  lines?: number
  /** What is shown if the graph has no such record. Without it, an error or nothing is shown. */
  missing?: ReactNode
  children(part: Part): ReactNode
}) {
  const part = data === undefined ? undefined : select(data)
  if (part !== undefined && part !== null) return <>{children(part)}</>
  if (part === null && missing !== undefined && isNotFound(error)) return <>{missing}</>
  if (error) return <ErrorState error={error} retry={() => execute({ requestPolicy: 'network-only' })} />
  return fetching || data === undefined ? <Loading {...(lines !== undefined && { lines })} /> : null
}
