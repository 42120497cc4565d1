import { isRecord } from '../../platform/checks.ts'
import { repeatReading } from '../../platform/watch/repeat-reading.ts'
import type { Context } from '../context.ts'
import { taskTopic } from './publish-task-update.ts'
import { findTasks } from './read-task.ts'
import { hasEnded, type Task, type TaskName } from './task.ts'
import { openTaskStream, stateOf, type TaskStream } from './task-stream.ts'
import { openAccountWatch } from './watch-account.ts'

/** Watches tasks for any number of watchers. Each task is read once for all of them. */
export interface TaskWatch {
  /**
   * Resolves to the current task and the stream of its further states, which ends after the last one. Resolves to
   * undefined if the account has no such task. The caller must close the stream (`return`).
   */
  task(name: TaskName): Promise<WatchedTask | undefined>
  /**
   * Returns the wanted tasks of an account: all open tasks, and then each task that changes or is created, without
   * end.
   */
  account(accountId: string, isWanted?: (task: Task) => boolean): TaskStream
  close(): void
}

export interface WatchedTask {
  now: Task
  /** The states of the task, beginning with `now`. */
  states: TaskStream
}

/** Delay in which changes are collected and read together, in milliseconds. */
const gatherMs = 5

interface Watched {
  name: TaskName
  /** The last state that was read. */
  last: Task | undefined
  streams: Set<TaskStream>
  /** Calls that wait for a reading that begins after them. */
  firsts: PromiseWithResolvers<Task | undefined>[]
  stopListening(): void
}

/**
 * Opens the watch of a process. Messages (`publishTaskUpdate`) trigger an immediate reading but can be lost. So
 * watched tasks are also read every second, and a watcher misses nothing while Redis or the worker is unavailable.
 */
export function openTaskWatch(context: Pick<Context, 'sql' | 'news' | 'log'>): TaskWatch {
  const { sql, news } = context
  const watched = new Map<string, Watched>()
  const accounts = openAccountWatch(context)
  const reading = repeatReading<Watched>(context, {
    gatherMs,
    watched: () => watched.values(),
    read,
    fault: 'reading watched tasks failed',
  })

  return {
    async task(name) {
      const task = watched.get(keyOf(name)) ?? watch(name)
      const first = Promise.withResolvers<Task | undefined>()
      task.firsts.push(first)
      reading.soon(task)
      const now = await first.promise
      if (!now) return undefined
      const states: TaskStream = openTaskStream(() => leave(task, states))
      states.push(now)
      if (hasEnded(now)) states.end()
      else join(task, states, now)
      return { now, states }
    },
    account: (accountId, isWanted = () => true) => accounts.watch(accountId, isWanted),
    close() {
      reading.close()
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
      if (isRecord(message) && message.id === name.id) reading.soon(task)
    })
    const task: Watched = { name, last: undefined, streams: new Set(), firsts: [], stopListening }
    watched.set(keyOf(name), task)
    return task
  }

  function leave(task: Watched, stream: TaskStream): void {
    task.streams.delete(stream)
    forgetUnwatched(task)
  }

  function forgetUnwatched(task: Watched): void {
    if (task.streams.size > 0 || task.firsts.length > 0) return
    if (watched.get(keyOf(task.name)) === task) watched.delete(keyOf(task.name))
    reading.forget(task)
    task.stopListening()
  }

  async function read(tasks: Watched[]): Promise<void> {
    const firsts = tasks.map(task => task.firsts.splice(0))
    try {
      const names = tasks.map(({ name }) => name)
      const rows = await findTasks({ sql }, names)
      const byKey = new Map(rows.map(row => [keyOf(row), row]))
      for (const [index, task] of tasks.entries()) {
        const now = byKey.get(keyOf(task.name))
        publish(task, now, firsts[index] ?? [])
        // Watchers that have just received `now` join after this turn if the task continues.
        setImmediate(() => forgetUnwatched(task))
      }
    } catch (error) {
      for (const first of firsts.flat()) first.reject(error)
      for (const task of tasks) forgetUnwatched(task)
      throw error
    }
  }
}

function publish(task: Watched, now: Task | undefined, firsts: Watched['firsts']): void {
  const { last } = task
  task.last = now
  for (const first of firsts) first.resolve(now)
  const hasChanged = now && (!last || stateOf(last) !== stateOf(now))
  for (const stream of [...task.streams]) {
    if (hasChanged) stream.push(now)
    if (!now || hasEnded(now)) stream.end()
  }
}

/** Adds a watcher that has received `now`. Since the reading that returned it, another may have found a change. */
function join(task: Watched, states: TaskStream, now: Task): void {
  const { last = now } = task
  if (stateOf(last) !== stateOf(now)) states.push(last)
  if (hasEnded(last)) states.end()
  else task.streams.add(states)
}

function keyOf({ accountId, id }: TaskName): string {
  return `${accountId} ${id}`
}
