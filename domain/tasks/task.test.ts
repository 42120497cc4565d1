import { expect, test } from 'vitest'
import { aSystem } from '../../test/harness/a-context.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { routeOf, taskKinds } from './task.ts'

const system = perFile(aSystem)

test('refused submits and ended tasks have the same route in the request log', async () => {
  const rows = await system.context.sql<{ kind: string; route: string }[]>`
    select kind, task_route(kind) as route from unnest(${taskKinds}::text[]) kind`
  expect(rows).toEqual(taskKinds.map(kind => ({ kind, route: routeOf(kind) })))
})
