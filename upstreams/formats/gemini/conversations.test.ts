import { getGlobalDispatcher } from 'undici'
import { describe, it } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { startSimulator } from '../../../simulators/vendors/start-simulator.ts'
import { holdConversations } from '../../../test/conversations/hold-conversations.ts'
import { perFile } from '../../../test/harness/per-file.ts'
import type { AdapterServices } from '../../chat-adapter.ts'
import { openTokenCache, readToken } from '../../clouds/vertex-tokens.ts'
import type { Target } from '../../targets.ts'

const simulator = perFile(() => startSimulator({ settings: { record: false, requireSalt: true } }))

const vertexAccount = perFile(async () => {
  const response = await fetch(`${simulator.url}/vertex/service-account.json`)
  return JSON.parse(await response.text())
})

const tokens = openTokenCache({ dispatcher: getGlobalDispatcher(), allowLoopback: true, clock: systemClock })
const services: Partial<AdapterServices> = { accessToken: account => readToken(tokens, account) }

const models = ['vendor_c/prism-pro', 'vendor_c/prism-flash', 'vendor_c/prism-lite']

describe.each<[string, number, () => Target]>([
  [
    "the vendor's own API",
    400,
    () => ({ vendor: 'vendor_c', baseUrl: `${simulator.url}/gemini`, apiKey: 'sim-platform-key' }),
  ],
  [
    'Vertex',
    60,
    () => ({
      vendor: 'vendor_c',
      baseUrl: `${simulator.url}/vertex`,
      apiKey: '',
      config: { region: 'europe-west4', service_account: vertexAccount },
    }),
  ],
])('any conversation, sent to %s', (_where, numRuns, target) => {
  it('is taken, or refused by us with the parameter at fault', async () => {
    await holdConversations({ target: target(), models, numRuns, services })
  })
})
