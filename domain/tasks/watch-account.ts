import { isRecord } from '../../platform/checks.ts'
import { dropOldest } from '../../platform/drop-oldest.ts'
import { repeatReading } from '../../platform/watch/repeat-reading.ts'
import type { Context } from '../context.ts'
import { listTasks } from './list-tasks.ts'
import { taskTopic } from './publish-task-update.ts'
import { findTasks } from './read-task.ts'
import { openStatuses, type Task } from './task.ts'
import { maxUnread, openTaskStream, stateOf, type TaskStream } from './task-stream.ts'

/** Watches all tasks of accounts. Each account is read once for all its watchers. */
export interface AccountWatch {
  /**
   * Returns the tasks that have not ended, oldest first, and then each task that changes or is created, without end.
   */
  watch(accountId: string, isWanted: (task: Task) => boolean): TaskStream
  close(): void
}

/** Delay in which changes are collected and read together, in milliseconds. */
const gatherMs = 5

/** The only key of the reading: all watched accounts are read together. */
const everything = 'everything'

/**
 * How far readings overlap, in seconds, because a change is committed after its timestamp; finish_task takes up to 5
 * s.
 */
const lateSeconds = 10

/** Maximum number of tasks whose last published state is remembered per account. */
const maxRemembered = 20_000

interface Watched {
  accountId: string
  streams: Set<TaskStream>
  /** Streams without any update yet. */
  starting: TaskStream[]
  /** IDs of tasks from received messages. */
  notified: Set<string>
  /** The last published state of tasks that changed, in the order of their changes. */
  published: Map<string, string>
  isNew: boolean
  stopListening(): void
}

interface Change {
  accountId: string
  id: string
  updatedAt: Date
}

/**
 * Opens the watch of a process. Messages trigger an immediate reading but can be lost. So every second it also reads
 * the changes since the last reading, with an overlap.
 */
export function openAccountWatch(context: Pick<Context, 'sql' | 'news' | 'log'>): AccountWatch {
  const { sql, news } = context
  const watched = new Map<string, Watched>()
  let readThrough: Date | undefined
  const reading = repeatReading<typeof everything>(context, {
    gatherMs,
    watched: () => (watched.size > 0 ? [everything] : []),
    read,
    fault: 'reading watched accounts failed',
  })
  const readSoon = () => reading.soon(everything)

  return {
    watch(accountId, isWanted) {
      const account = watched.get(accountId) ?? begin(accountId)
      const stream: TaskStream = openTaskStream(() => leave(account, stream), isWanted)
      account.starting.push(stream)
      readSoon()
      return stream
    },
    close() {
      reading.close()
      for (const { streams, starting } of [...watched.values()])
        for (const stream of [...streams, ...starting]) stream.end()
    },
  }

  function begin(accountId: string): Watched {
    const stopListening = news.subscribe(taskTopic(accountId), message => {
      if (!isRecord(message) || typeof message.id !== 'string') return
      account.notified.add(message.id)
      readSoon()
    })
    const account: Watched = {
      accountId,
      streams: new Set(),
      starting: [],
      notified: new Set(),
      published: new Map(),
      isNew: true,
      stopListening,
    }
    watched.set(accountId, account)
    return account
  }

  function leave(account: Watched, stream: TaskStream): void {
    account.streams.delete(stream)
    account.starting = account.starting.filter(other => other !== stream)
    if (account.streams.size > 0 || account.starting.length > 0) return
    watched.delete(account.accountId)
    account.stopListening()
  }

  /** Publishes the changes since the last reading, by the clock of Postgres. */
  async function read(): Promise<void> {
    const [clock] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
    const since = readThrough ?? clock?.now ?? new Date()
    const rows = await sql<Change[]>`
      select account_id as "accountId", id, updated_at as "updatedAt" from tasks
      where account_id = any (${[...watched.keys()]}::uuid[])
        and updated_at > ${since}::timestamptz - make_interval(secs => ${lateSeconds})`
    const changes = Map.groupBy(rows, ({ accountId }) => accountId)
    for (const account of [...watched.values()])
      await publishChanges({ sql }, account, changes.get(account.accountId) ?? [])
    readThrough = clock?.now
  }
}

async function publishChanges(
  { sql }: Pick<Context, 'sql'>,
  account: Watched,
  changes: Change[],
): Promise<void> {
  const { accountId, published } = account
  if (account.isNew) for (const { id, updatedAt } of changes) published.set(id, markOf(updatedAt))
  account.isNew = false
  await startStreams({ sql }, account)
  const changed = changes.filter(({ id, updatedAt }) => !published.get(id)?.startsWith(markOf(updatedAt)))
  const ids = new Set([...account.notified, ...changed.map(({ id }) => id)])
  account.notified.clear()
  if (ids.size === 0) return
  const tasks = await findTasks(
    { sql },
    [...ids].map(id => ({ accountId, id })),
  )
  for (const task of tasks) publish(account, task)
  dropOldest(published, maxRemembered)
}

/** Sends new watchers the tasks that have not ended. */
async function startStreams({ sql }: Pick<Context, 'sql'>, account: Watched): Promise<void> {
  const { accountId } = account
  if (account.starting.length === 0) return
  const filter = { statuses: openStatuses }
  const open = await listTasks({ sql }, { accountId, filter, limit: maxUnread / 2, oldestFirst: true })
  for (const stream of account.starting.splice(0)) {
    account.streams.add(stream)
    for (const task of open) stream.push(task)
  }
}

function publish({ streams, published }: Watched, task: Task): void {
  const state = `${markOf(task.updatedAt)} ${stateOf(task)}`
  if (published.get(task.id) === state) return
  published.delete(task.id) // the latest change is last
  published.set(task.id, state)
  for (const stream of streams) stream.push(task)
}

function markOf(updatedAt: Date): string {
  return String(updatedAt.getTime())
}
