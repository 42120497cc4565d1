import { getPriority, setPriority } from 'node:os'
import { parentPort, Worker } from 'node:worker_threads'
import { guardPrototypes } from './guard-prototypes.ts'

/** A thread that runs one task after the other, beside the event loop. */
interface TaskThread<Task, Reply> {
  /**
   * Runs a task. The `transferred` buffers move to the thread. Throws if the thread ends before the task.
   */
  run(task: Task, transferred?: ArrayBuffer[]): Promise<Reply>
  close(): Promise<void>
}

/** A task, or the reply to it. */
interface Numbered<Content> {
  id: number
  content: Content
}

/**
 * Opens a thread that runs the module `name` in the folder of the module at `url`, as source or compiled. That module
 * calls `answerTasks`. The thread starts with the first task, and is restarted after a task that ended it.
 */
export function openTaskThread<Task, Reply>(name: string, url: string): TaskThread<Task, Reply> {
  const file = new URL(`./${name}.${url.endsWith('.ts') ? 'ts' : 'js'}`, url)
  const waiting = new Map<number, PromiseWithResolvers<Reply>>()
  let worker: Worker | undefined
  let lastId = 0

  function start(): Worker {
    const started = new Worker(file)
    started.unref()
    started.on('message', ({ id, content }: Numbered<Reply>) => {
      waiting.get(id)?.resolve(content)
      waiting.delete(id)
    })
    started.on('error', error => end(started, error))
    started.on('exit', () => end(started, new Error(`the thread of ${name} ended`)))
    return started
  }

  function end(ended: Worker, error: unknown): void {
    if (worker !== ended) return
    worker = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  return {
    run(content, transferred = []) {
      worker ??= start()
      const reply = Promise.withResolvers<Reply>()
      const task: Numbered<Task> = { id: ++lastId, content }
      waiting.set(task.id, reply)
      worker.postMessage(task, transferred)
      return reply.promise
    },
    async close() {
      await worker?.terminate()
    },
  }
}

/**
 * Returns the memory of a buffer that does not share it with another buffer. It can move to a thread without a copy.
 */
export function ownMemory({ buffer, byteLength }: Buffer): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

/** The nice value of these threads, relative to the event loop. */
const niceness = 10
const nicest = 19

/**
 * Answers the tasks of the thread that runs the calling module. The memory that `transferred` lists goes with the reply.
 * An error that `answer` throws ends the thread.
 */
export function answerTasks<Task, Reply>(
  answer: (task: Task) => Reply,
  transferred: (reply: Reply) => ArrayBuffer[] = () => [],
): void {
  guardPrototypes()
  // On Linux, this applies only to the calling thread. The event loop, which serves small requests, takes precedence.
  if (process.platform === 'linux') setPriority(Math.min(getPriority() + niceness, nicest))
  parentPort?.on('message', ({ id, content }: Numbered<Task>) => {
    const reply: Numbered<Reply> = { id, content: answer(content) }
    parentPort?.postMessage(reply, transferred(reply.content))
  })
}
