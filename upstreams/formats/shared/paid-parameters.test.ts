import { describe, expect, it } from 'vitest'
import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { printed } from '../../../test/conversations/printed.ts'
import { aChatCall, noServices } from '../../../test/harness/a-chat-call.ts'
import { aRefusal } from '../../../test/harness/a-refusal.ts'
import { adapterOf } from '../../call/adapters.ts'

const hello = { role: 'user' as const, content: 'Hello' }
const stored = { type: 'file', file: { file_id: 'file-1' } }

function openModel(model: string) {
  return (fields: object, { byokId, flags = {} }: { byokId?: string; flags?: Partial<ChatFlags> } = {}) => {
    const call = aChatCall({ model, ...fields } as Partial<ChatRequest> & { model: string })
    const entry = { ...call.entry, chat: { ...call.entry.chat, ...flags } }
    const target = { vendor: entry.provider, baseUrl: 'https://vendor.example', apiKey: 'key', byokId }
    return adapterOf(entry, target).buildRequest({ ...call, entry }, target, noServices)
  }
}

/** What costs otherwise than by the catalogue, and how the refusal names it. */
const paid: [fields: object, param: string][] = [
  [{ service_tier: 'priority' }, 'service_tier'],
  [{ service_tier: 'flex' }, 'service_tier'],
  [{ speed: 'fast' }, 'speed'],
  [{ inference_geo: 'us' }, 'inference_geo'],
  [{ route: 'fallback' }, 'route'],
  [{ plugins: [{ id: 'web' }] }, 'plugins'],
  [{ transforms: ['middle-out'] }, 'transforms'],
  [{ extra_body: { plugins: [{ id: 'web' }] } }, 'extra_body'],
  [{ web_search_options: {} }, 'web_search_options'],
  [{ search_parameters: { mode: 'on' } }, 'search_parameters'],
  [{ enable_search: true }, 'enable_search'],
  [{ data_sources: [{ type: 'azure_search' }] }, 'data_sources'],
  [{ web_search: { enable: true } }, 'web_search'],
  [{ enable_web_search: true }, 'enable_web_search'],
  [{ search_mode: 'academic' }, 'search_mode'],
  [{ search_settings: { country: 'us' } }, 'search_settings'],
  [{ include_domains: ['a.b'] }, 'include_domains'],
  [{ enable_enhancement: true }, 'enable_enhancement'],
  [{ enable_deep_search: true }, 'enable_deep_search'],
  [{ compound_custom: { tools: {} } }, 'compound_custom'],
  [{ venice_parameters: { enable_web_search: 'on' } }, 'venice_parameters'],
  [{ deferred: true }, 'deferred'],
  [{ background: true }, 'background'],
  [{ prediction: { type: 'content', content: 'a' } }, 'prediction'],
  [{ best_of: 5 }, 'best_of'],
  [{ audio: { voice: 'alloy', format: 'wav' } }, 'audio'],
  [{ modalities: ['text', 'audio'] }, 'modalities'],
  [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
  [{ tools: [{ type: 'function', function: { name: 'a' } }, { type: 'code_interpreter' }] }, 'tools[1].type'],
  [{ messages: [{ role: 'user', content: [stored] }] }, 'messages[0].content[0].file.file_id'],
  [{ messages: [hello, { role: 'assistant', audio: { id: 'audio_1' } }, hello] }, 'messages[1].audio'],
]
const models = ['vendor_a/atlas', 'vendor_b/lyric', 'vendor_c/prism-pro', 'vendor_e/ember-coder']

describe.each(models)("on the platform's credential %s", model => {
  const buildRequest = openModel(model)

  it.each(paid)('refuses %j, which the catalogue does not price', async (fields, param) => {
    expect(await aRefusal(() => buildRequest(fields))).toEqual({ problem: 'unsupported_parameter', param })
  })

  it.each([
    { service_tier: 'auto' },
    { service_tier: 'default' },
    { service_tier: null },
    { speed: 'standard' },
    { modalities: ['text'] },
    { plugins: [] },
    { enable_search: false },
  ])('takes %j, which changes nothing, and sends none of it on', async fields => {
    const body = (await buildRequest(fields))?.body
    const [name = ''] = Object.keys(fields)
    if (name !== 'modalities') expect(JSON.parse(printed(body))).not.toHaveProperty(name)
  })

  it('takes what the prices of the model cover', async () => {
    const flags = { priced_parameters: ['service_tier', 'web_search_options'] }
    const fields = { service_tier: 'priority', web_search_options: {} }
    expect(await aRefusal(() => buildRequest(fields, { flags }))).toBeUndefined()
  })
})

/** Beside tools and messages, which are made whole on their way. */
const fieldsAlone = paid.filter(([, param]) => !/^(tools|messages)/.test(param))

describe("with a customer's own credential of vendor_a", () => {
  it.each(paid)('%j is not refused', async fields => {
    expect(await aRefusal(() => openModel('vendor_a/atlas')(fields, { byokId: 'own' }))).toBeUndefined()
  })

  it.each(fieldsAlone)('%j goes as it came', async fields => {
    const body = (await openModel('vendor_a/atlas')(fields, { byokId: 'own' }))?.body
    expect(JSON.parse(printed(body))).toMatchObject(fields)
  })
})
