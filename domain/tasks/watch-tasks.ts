import { isRecord } from '../../platform/checks.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import type { Context } from '../context.ts'
import { findTasks } from './read-task.ts'
import { hasEnded, type Task, type TaskName } from './task.ts'
import { stateOf, TaskStream } from './task-stream.ts'
import { taskTopic } from './tell-of-task.ts'
import { openAccountWatch } from './watch-account.ts'

/** Watches tasks on behalf of any number of watchers: each task is read once for all of them. */
export interface TaskWatch {
  /**
   * Resolves to the task as it is now, and to its further states, which end after the last one. Undefined where the
   * account has no such task. Whoever asks closes the stream (`return`).
   */
  task(name: TaskName): Promise<WatchedTask | undefined>
  /**
   * The tasks of an account that are wanted: first those that have not ended, then each task that changes, new ones too, without end.
   */
  account(accountId: string, isWanted?: (task: Task) => boolean): TaskStream
  close(): void
}

export interface WatchedTask {
  now: Task
  /** Beginning with `now`. */
  states: TaskStream
}

/** What changed is read again so often, whether anything was heard of it or not. */
const readEveryMs = 1_000

/** What is heard within so long is read together. */
const gatherMs = 5

/** Tasks read by one statement. */
const mostAtOnce = 500

interface Watched {
  name: TaskName
  /** What was read last. */
  last: Task | undefined
  streams: Set<TaskStream>
  /** Those who wait for a read that begins after they came. */
  firsts: PromiseWithResolvers<Task | undefined>[]
  stopListening(): void
}

/**
 * Opens the watch of a process. News of changes (`tellOfTask`) make it read at once; they are hints, and may be lost:
 * what is watched is also read every second, so a watcher misses nothing while Redis or the worker are away.
 */
export function openTaskWatch(context: Pick<Context, 'sql' | 'news' | 'log'>): TaskWatch {
  const { sql, news, log } = context
  const watched = new Map<string, Watched>()
  const due = new Set<Watched>()
  const accounts = openAccountWatch(context)
  let gathering: NodeJS.Timeout | undefined
  let isReading = false

  const readSoon = (task: Watched) => {
    due.add(task)
    if (!isReading) gathering ??= setTimeout(readDue, gatherMs)
  }
  const every = setInterval(() => {
    for (const task of watched.values()) readSoon(task)
  }, readEveryMs)

  return {
    async task(name) {
      const task = watched.get(keyOf(name)) ?? watch(name)
      const first = Promise.withResolvers<Task | undefined>()
      task.firsts.push(first)
      readSoon(task)
      const now = await first.promise
      if (!now) return undefined
      const states = new TaskStream(stream => leave(task, stream))
      states.push(now)
      if (hasEnded(now)) states.end()
      else join(task, states, now)
      return { now, states }
    },
    account: (accountId, isWanted = () => true) => accounts.watch(accountId, isWanted),
    close() {
      clearInterval(every)
      clearTimeout(gathering)
      accounts.close()
      for (const { streams, stopListening } of watched.values()) {
        stopListening()
        for (const stream of streams) stream.end()
      }
      watched.clear()
    },
  }

  function watch(name: TaskName): Watched {
    const stopListening = news.subscribe(taskTopic(name.accountId), message => {
      if (isRecord(message) && message.id === name.id) readSoon(task)
    })
    const task: Watched = { name, last: undefined, streams: new Set(), firsts: [], stopListening }
    watched.set(keyOf(name), task)
    return task
  }

  /** Between the read that answered `now` and this, another may have found the task changed. */
  function join(task: Watched, states: TaskStream, now: Task): void {
    const { last = now } = task
    if (stateOf(last) !== stateOf(now)) states.push(last)
    if (hasEnded(last)) states.end()
    else task.streams.add(states)
  }

  function leave(task: Watched, stream: TaskStream): void {
    task.streams.delete(stream)
    forgetUnwatched(task)
  }

  function forgetUnwatched(task: Watched): void {
    if (task.streams.size > 0 || task.firsts.length > 0) return
    if (watched.get(keyOf(task.name)) === task) watched.delete(keyOf(task.name))
    due.delete(task)
    task.stopListening()
  }

  async function readDue(): Promise<void> {
    gathering = undefined
    isReading = true
    while (due.size > 0) {
      const tasks = [...due].slice(0, mostAtOnce)
      for (const task of tasks) due.delete(task)
      const firsts = tasks.map(task => task.firsts.splice(0))
      await read(tasks, firsts)
    }
    isReading = false
  }

  async function read(tasks: Watched[], firsts: Watched['firsts'][]): Promise<void> {
    try {
      const rows = await findTasks(
        { sql },
        tasks.map(({ name }) => name),
      )
      const byKey = new Map(rows.map(row => [keyOf(row), row]))
      for (const [index, task] of tasks.entries())
        tell(task, byKey.get(keyOf(task.name)), firsts[index] ?? [])
    } catch (error) {
      log.warn({ error: explainFault(error) }, 'watched tasks could not be read')
      for (const first of firsts.flat()) first.reject(error)
      for (const task of tasks) forgetUnwatched(task)
    }
  }

  function tell(task: Watched, now: Task | undefined, firsts: Watched['firsts']): void {
    const isNew = now !== undefined && (!task.last || stateOf(task.last) !== stateOf(now))
    task.last = now
    for (const first of firsts) first.resolve(now)
    if (now && isNew) for (const stream of task.streams) stream.push(now)
    if (!now || hasEnded(now)) for (const stream of [...task.streams]) stream.end()
    // Those who were told just now join after this turn, if the task goes on.
    setImmediate(() => forgetUnwatched(task))
  }
}

function keyOf({ accountId, id }: TaskName): string {
  return `${accountId} ${id}`
}
