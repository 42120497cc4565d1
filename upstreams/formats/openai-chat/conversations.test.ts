import { describe, it } from 'vitest'
import { startSimulator } from '../../../simulators/vendors/start-simulator.ts'
import { holdConversations } from '../../../test/conversations/hold-conversations.ts'
import { perFile } from '../../../test/harness/per-file.ts'
import type { Target } from '../../targets.ts'
import type { FailureDetails } from '../../upstream-failure.ts'

const simulator = perFile(() => startSimulator({ settings: { record: false, requireSalt: true } }))

/**
 * Parameters that are passed on unchecked, so that the vendor reports their faults: by the parameter's name, or by the
 * vendor's message if our code changes the parameter too.
 */
const untouched = /^(tool_choice|response_format|top_logprobs)\b/
const complaints = [
  /preceeding message with 'tool_calls'|must be followed by tool messages/,
  /content\[\d+\]\.image_url\.url'\. Expected a valid URL/,
  /input_audio|Invalid value: '(refusal|input_audio|image_url|file)'/,
  /must contain the word 'json'/,
  /Invalid schema for function '[\w-]+': In context/,
  /Invalid value: 'web_search'/,
]

function isClients({ param = '', message = '' }: FailureDetails): boolean {
  return untouched.test(param) || complaints.some(complaint => complaint.test(message))
}

const everywhere: [where: string, models: string[], target: () => Target][] = [
  [
    "the vendor's own address",
    ['vendor_a/atlas-large', 'vendor_a/atlas', 'vendor_a/atlas-nano', 'vendor_a/atlas-thinker'],
    () => ({ vendor: 'vendor_a', baseUrl: `${simulator.url}/openai/v1`, apiKey: 'sim-platform-key' }),
  ],
  [
    'Azure',
    ['vendor_a/atlas', 'vendor_a/atlas-thinker'],
    () => ({
      vendor: 'vendor_a',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'sim-azure-key',
      byokId: 'own',
      config: { endpoint: `${simulator.url}/azure` },
    }),
  ],
  [
    'another vendor of the format, which is salted',
    ['vendor_d/quill', 'vendor_d/quill-small', 'vendor_e/ember-coder'],
    () => ({ vendor: 'vendor_d', baseUrl: `${simulator.url}/compatible/v1`, apiKey: 'sim-platform-key' }),
  ],
]

describe.each(everywhere)('any conversation, sent to %s', (_where, models, target) => {
  it('is taken, or refused with the parameter at fault', async () => {
    await holdConversations({ target: target(), models, numRuns: 300, isClients })
  })
})
