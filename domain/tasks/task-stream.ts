import { Problem } from '../../schema/errors.ts'
import type { Task } from './task.ts'

/** A watcher that leaves so many tasks unread is cut off. */
export const mostUnread = 10_000

/**
 * What one watcher is told: of each task its latest state, in the order in which they changed. States that it has not
 * read when the next one comes are left out, so a slow reader keeps one of each task waiting, no more. Not an async
 * generator: parked in `await`, that would ignore `return()`.
 */
export class TaskStream implements AsyncIterableIterator<Task> {
  readonly #onClose: (stream: TaskStream) => void
  readonly #isWanted: (task: Task) => boolean
  readonly #unread = new Map<string, Task>()
  #waiting: PromiseWithResolvers<IteratorResult<Task>>[] = []
  #isOver = false
  #fault: Error | undefined

  /** `onClose` is called once, when the watcher leaves or was told all. Tasks that are not wanted are left out. */
  constructor(onClose: (stream: TaskStream) => void, isWanted: (task: Task) => boolean = () => true) {
    this.#onClose = onClose
    this.#isWanted = isWanted
  }

  push(task: Task): void {
    if (this.#isOver || !this.#isWanted(task)) return
    const reader = this.#waiting.shift()
    if (reader) {
      reader.resolve({ done: false, value: task })
      return
    }
    this.#unread.delete(task.id)
    this.#unread.set(task.id, task)
    if (this.#unread.size > mostUnread) this.fail(tooSlow())
  }

  /** Nothing more comes. What is unread can still be read. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const reader of this.#waiting) reader.resolve({ done: true, value: undefined })
    this.#waiting = []
    this.#onClose(this)
  }

  /** Ends with an error, in place of what is unread. */
  fail(error: Error): void {
    if (this.#isOver) return
    this.#unread.clear()
    const [reader] = this.#waiting.splice(0, 1)
    if (reader) reader.reject(error)
    else this.#fault = error
    this.end()
  }

  async next(): Promise<IteratorResult<Task>> {
    const [task] = this.#unread.values()
    if (task) {
      this.#unread.delete(task.id)
      return { done: false, value: task }
    }
    const fault = this.#fault
    this.#fault = undefined
    if (fault) throw fault
    if (this.#isOver) return { done: true, value: undefined }
    const reader = Promise.withResolvers<IteratorResult<Task>>()
    this.#waiting.push(reader)
    return reader.promise
  }

  async return(): Promise<IteratorResult<Task>> {
    this.#unread.clear()
    this.end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

function tooSlow(): Problem {
  const message = 'Too many changes were left unread: subscribe again, and read faster.'
  return new Problem('overloaded', { message, retryAfterSeconds: 1 })
}

/** What a watcher sees change. */
export function stateOf(task: Task): string {
  const { status, progress, updatedAt, cancelRequestedAt, cancelRefusedAt } = task
  return JSON.stringify([status, progress, updatedAt, cancelRequestedAt, cancelRefusedAt])
}
