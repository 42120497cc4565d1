import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openTaskThread } from './task-thread.ts'

/** A thread that runs `answer`, the text of a function. */
async function aThread(answer: string) {
  const folder = await mkdtemp(join(tmpdir(), 'task-thread-'))
  const answerTasks = JSON.stringify(new URL('./task-thread.ts', import.meta.url))
  await writeFile(
    join(folder, 'work.ts'),
    `import { answerTasks } from ${answerTasks}\nanswerTasks(${answer})`,
  )
  const thread = openTaskThread<unknown, unknown>('work', pathToFileURL(join(folder, 'main.ts')).href)
  onTestFinished(async () => {
    await thread.close()
    await rm(folder, { recursive: true })
  })
  return thread
}

test('each task has its own reply', async () => {
  const thread = await aThread('task => task * 2')
  expect(await Promise.all([1, 2, 3].map(task => thread.run(task)))).toEqual([2, 4, 6])
})

test('a task that ends the thread fails with all that wait, and the next one has a new thread', async () => {
  const thread = await aThread('task => { if (task === "bad") throw new Error("no"); return task }')
  const outcomes = await Promise.allSettled([thread.run('bad'), thread.run('good')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await thread.run('good')).toBe('good')
})

test('nothing that a task says can become a property of all objects of the thread', async () => {
  const thread = await aThread('() => [Object.isExtensible(Object.prototype), "__proto__" in {}]')
  expect(await thread.run(undefined)).toEqual([false, false])
})

test.runIf(process.platform === 'linux')(
  'the thread is nicer than the event loop, which keeps its priority',
  async () => {
    const before = getPriority()
    const thread = await aThread('() => process.getBuiltinModule("node:os").getPriority()')
    expect(await thread.run(undefined)).toBe(Math.min(before + 10, 19))
    expect(getPriority()).toBe(before)
  },
)
