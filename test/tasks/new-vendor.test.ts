import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { makeMp4 } from '../../simulators/vendors/media/make-files.ts'
import { aClient } from '../harness/a-client.ts'
import { answerJson, aVendor } from '../harness/a-vendor.ts'
import { expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { aCatalogueWithNewcomer, newcomer } from '../harness/media/a-newcomer.ts'
import { aTaskSystem, submit, type TaskSystem } from './a-task-system.ts'

let system: TaskSystem
afterEach(() => expectLedgerToBalance(system.context.sql))

const film = makeMp4({ width: 1280, height: 720 }, 5)

test('a model of a new vendor needs a file of the catalogue and a credential, and no code', async () => {
  const vendor = await aVendor((response, { path }) => {
    if (path === '/services/generation')
      return answerJson(response, 200, { output: { task_id: 'j1', task_status: 'PENDING' } })
    if (path === '/film.mp4') return response.end(film)
    const polls = vendor.calls.filter(call => call.path === '/jobs/j1').length
    const results = [{ url: `${vendor.url}/film.mp4` }]
    const output =
      polls < 3 ? { task_status: 'RUNNING', progress: polls / 4 } : { task_status: 'SUCCEEDED', results }
    return answerJson(response, 200, { output })
  })
  onTestFinished(vendor.close)
  system = await aTaskSystem({ VENDOR_Q_API_KEY: 'key-of-the-newcomer', VENDOR_Q_BASE_URL: vendor.url })
  onTestFinished(() => system.close())
  const catalogue = await aCatalogueWithNewcomer()
  for (const entry of catalogue.models) if (entry.modality !== 'chat') entry.generation.poll_ms = 30
  await applyCatalogue(system.context, catalogue)
  await sleep(1_300) // until the edge has it

  const client = await aClient(system)
  const request = { model: newcomer, prompt: 'A lighthouse', duration: 10, aspect_ratio: '9:16' }
  const id = await submit(system, client, request)
  const task = await system.ended(client, id)
  expect(task).toMatchObject({ status: 'success', model: newcomer })
  const [made] = task.data ?? []
  const file = await fetch(made?.url ?? '')
  expect(file.headers.get('content-type')).toBe('video/mp4')
  expect(Buffer.from(await file.arrayBuffer())).toEqual(film)
  expect(vendor.calls[0]?.body).toMatchObject({
    model_name: 'nc-video-turbo',
    parameters: { length: '10', size: '720*1280', watermark: false },
  })
  const [log] = await logsOf(system, client)
  expect(log).toMatchObject({ model: newcomer, cost_nanos: 500_000_000n })
})
