import { describe, it } from 'vitest'
import { startSimulator } from '../../../simulators/vendors/start-simulator.ts'
import { holdConversations } from '../../../test/conversations/hold-conversations.ts'
import { perFile } from '../../../test/harness/per-file.ts'
import type { Target } from '../../targets.ts'

const simulator = perFile(() => startSimulator({ settings: { record: false } }))

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
