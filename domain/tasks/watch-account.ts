import { isRecord } from '../../platform/checks.ts'
import { repeatReading } from '../../platform/watch/repeat-reading.ts'
import type { Context } from '../context.ts'
import { listTasks } from './list-tasks.ts'
import { taskTopic } from './publish-task-update.ts'
import { findTasks } from './read-task.ts'
import { openStatuses, type Task } from './task.ts'
import { maxUnread, openTaskStream, stateOf, type TaskStream } from './task-stream.ts'

/** Watches all tasks of accounts, each account once for all its watchers. */
export interface AccountWatch {
  /** First the tasks that have not ended, the oldest first; then each task that changes, new ones too, without end. */
  watch(accountId: string, isWanted: (task: Task) => boolean): TaskStream
  close(): void
}

const gatherMs = 5

/** All watched accounts are read together. */
const everything = 'everything'

/** A change is looked for so long after its time, as it is committed later than that; of finish_task 5 s at most. */
const lateSeconds = 10

/** Tasks of which an account's watch knows what it told last. */
const maxKnown = 20_000

interface Watched {
  accountId: string
  streams: Set<TaskStream>
  /** Those that were told nothing yet. */
  starting: TaskStream[]
  /** Ids of tasks that were heard of. */
  heard: Set<string>
  /** What was told last of tasks that changed. */
  told: Map<string, string>
  isNew: boolean
  stopListening(): void
}

interface Change {
  accountId: string
  id: string
  updatedAt: Date
}

/**
 * Opens it for a process. As with single tasks, news make it read at once and are hints only: every second it reads
 * what has changed since its last reading, and a while before.
 */
export function openAccountWatch(context: Pick<Context, 'sql' | 'news' | 'log'>): AccountWatch {
  const { sql, news } = context
  const watched = new Map<string, Watched>()
  let readThrough: Date | undefined
  const reading = repeatReading<typeof everything>(context, {
    gatherMs,
    watched: () => (watched.size > 0 ? [everything] : []),
    read,
    fault: 'watched accounts could not be read',
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
      account.heard.add(message.id)
      readSoon()
    })
    const account: Watched = {
      accountId,
      streams: new Set(),
      starting: [],
      heard: new Set(),
      told: new Map(),
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

  /** Tells what changed since the last reading. Times are those of Postgres. */
  async function read(): Promise<void> {
    const [clock] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
    const since = readThrough ?? clock?.now ?? new Date()
    const rows = await sql<Change[]>`
      select account_id as "accountId", id, updated_at as "updatedAt" from tasks
      where account_id = any (${[...watched.keys()]}::uuid[])
        and updated_at > ${since}::timestamptz - make_interval(secs => ${lateSeconds})`
    const changes = Map.groupBy(rows, ({ accountId }) => accountId)
    for (const account of [...watched.values()]) await tell(account, changes.get(account.accountId) ?? [])
    readThrough = clock?.now
  }

  async function tell(account: Watched, changes: Change[]): Promise<void> {
    const { accountId, told } = account
    if (account.isNew) for (const { id, updatedAt } of changes) told.set(id, markOf(updatedAt))
    account.isNew = false
    await start(account)
    const changed = changes.filter(({ id, updatedAt }) => !told.get(id)?.startsWith(markOf(updatedAt)))
    const ids = new Set([...account.heard, ...changed.map(({ id }) => id)])
    account.heard.clear()
    if (ids.size === 0) return
    const tasks = await findTasks(
      { sql },
      [...ids].map(id => ({ accountId, id })),
    )
    for (const task of tasks) tellOf(account, task)
    forgetOld(told)
  }

  function tellOf({ streams, told }: Watched, task: Task): void {
    const state = `${markOf(task.updatedAt)} ${stateOf(task)}`
    if (told.get(task.id) === state) return
    told.set(task.id, state)
    for (const stream of streams) stream.push(task)
  }

  /** Tells those who have just come what has not ended. */
  async function start(account: Watched): Promise<void> {
    const { accountId } = account
    if (account.starting.length === 0) return
    const filter = { statuses: openStatuses }
    const open = await listTasks({ sql }, { accountId, filter, limit: maxUnread / 2, oldestFirst: true })
    for (const stream of account.starting.splice(0)) {
      account.streams.add(stream)
      for (const task of open) stream.push(task)
    }
  }
}

function markOf(updatedAt: Date): string {
  return String(updatedAt.getTime())
}

/** Of those told longest ago. */
function forgetOld(told: Map<string, string>): void {
  for (const id of told.keys()) {
    if (told.size <= maxKnown) return
    told.delete(id)
  }
}
