import { expect, test } from 'vitest'
import type { TaskName } from '../../domain/tasks/task.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { openSteps } from './open-steps.ts'

const system = perFile(() => aSystem({ ALLOWANCES: 'worker_steps=1/1' }))

test('credentials of accounts occupy at most half of the steps, so the platform always has places', () => {
  const steps = openSteps(system.context, async () => {})
  const leave = Array.from({ length: 500 }, () => steps.enterOwn())
  expect(leave.every(Boolean)).toBe(true)
  expect(steps.enterOwn()).toBeUndefined()
  leave[0]?.()
  expect(steps.enterOwn()).toBeDefined()
})

test('a step beyond the allowance is tried again later; a job that arrives during a step follows it', async () => {
  const { context } = system
  const { accountId } = await anAccount(context)
  const taken: string[] = []
  const ending = Promise.withResolvers<void>()
  const steps = openSteps(context, ({ id }: TaskName) => {
    taken.push(id)
    return ending.promise
  })
  for (const id of ['first', 'second', 'first']) await steps.begin({ accountId, id })
  expect(taken).toEqual(['first'])
  const later = await context.sql`select key from graphile_worker.jobs where run_at > now()`
  expect(later).toEqual([{ key: 'task:second' }])
  ending.resolve()
  await expect.poll(() => taken).toEqual(['first', 'first'])
  await steps.close(1_000)
})
