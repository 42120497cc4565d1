import { afterAll, beforeAll, describe, it } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../../simulators/vendors/start-simulator.ts'
import { holdConversations } from '../../../test/conversations/hold-conversations.ts'
import type { Target } from '../../targets.ts'

let simulator: RunningSimulator

beforeAll(async () => {
  simulator = await startSimulator({ settings: { record: false } })
})
afterAll(() => simulator.close())

const models = ['vendor_b/lyric-grand', 'vendor_b/lyric', 'vendor_b/lyric-swift', 'vendor_b/lyric-classic']

describe.each<[string, () => Target]>([
  [
    "the vendor's own address",
    () => ({ vendor: 'vendor_b', baseUrl: `${simulator.url}/anthropic`, apiKey: 'sim-platform-key' }),
  ],
  [
    'Bedrock',
    () => ({
      vendor: 'vendor_b',
      baseUrl: `${simulator.url}/bedrock/anthropic`,
      apiKey: 'AKIASIM000000001:secret-of-AKIASIM000000001',
      config: { region: 'eu-central-1' },
    }),
  ],
])('any conversation, sent to %s', (_where, target) => {
  it('is taken, or refused by us with the parameter at fault', async () => {
    await holdConversations({ target: target(), models, numRuns: 400 })
  })
})
