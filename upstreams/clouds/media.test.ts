import { afterEach, expect, test } from 'vitest'
import { Secrets } from '../../platform/secrets/redact-secrets.ts'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { aConfig } from '../../test/harness/a-context.ts'
import { aMediaCall } from '../../test/harness/media/a-media-call.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { submitMedia } from '../call/call-media.ts'
import { openUpstreams } from '../call/open-upstreams.ts'
import { Cancellation } from '../http/cancellation.ts'
import { type OwnCredential, ownTarget } from '../targets.ts'

const config = aConfig({ DATABASE_URL: 'postgres://localhost/none', ALLOW_LOOPBACK: 'true' })

const simulator = perFile(startSimulator)
const upstreams = perFile(() => openUpstreams(config))
afterEach(() => simulator.reset())

const png = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')}`

function submit(model: string, parameters: Record<string, unknown>, own: Partial<OwnCredential>) {
  const call = aMediaCall(model, parameters)
  const credential = {
    id: 'b1',
    apiKey: 'sim-azure-key',
    baseUrl: null,
    config: {},
    secrets: new Secrets(['sim-azure-key']),
    ...own,
  }
  const vendor = { label: call.entry.provider, name: 'v', adapter: call.entry.upstream.adapter }
  const route = { entry: call.entry, vendor: { ...vendor, base_url: 'https://vendor.example' } }
  const target = ownTarget(config, route, credential)
  if (!target) throw new Error('no target')
  return submitMedia(upstreams, { call, target, idempotencyKey: 'k', cancellation: new Cancellation() })
}

const surfaces: [name: string, config: Record<string, string>, path: string][] = [
  ['the v1 surface', {}, '/azure/openai/v1'],
  [
    'the dated surface',
    { deployment: 'my-deployment', api_version: '2024-10-21' },
    '/azure/openai/deployments/my-deployment',
  ],
]

test.each(surfaces)('images and speech are made in Azure, on %s', async (_name, surface, path) => {
  const own = () => ({ config: { endpoint: `${simulator.url}/azure`, ...surface } })
  const requests: [model: string, parameters: Record<string, unknown>, operation: string][] = [
    ['vendor_a/mural', {}, '/images/generations'],
    ['vendor_a/mural-edit', { image_urls: [png] }, '/images/edits'],
    ['vendor_a/orator', {}, '/audio/speech'],
  ]
  for (const [model, parameters, operation] of requests) {
    expect(await submit(model, parameters, own())).toMatchObject({ status: 'done' })
    const call = simulator.calls.at(-1)
    expect(call?.path.split('?')[0]).toBe(`${path}${operation}`)
    expect(call?.headers).toMatchObject({ 'api-key': 'sim-azure-key' })
    expect(call?.headers).not.toHaveProperty('authorization')
  }
})

test('images are made in Vertex, with a token of the service account', async () => {
  const account = await (await fetch(`${simulator.url}/vertex/service-account.json`)).json()
  const own = {
    apiKey: '',
    baseUrl: `${simulator.url}/vertex`,
    config: { region: 'europe-west4', service_account: account },
  }
  expect(await submit('vendor_c/vista', { resolution: '2K' }, own)).toMatchObject({ status: 'done' })
  const path = `/vertex/v1beta1/projects/${account.project_id}/locations/europe-west4/publishers/google/models/vista-3`
  const call = simulator.calls.at(-1)
  expect(call?.path).toBe(`${path}:generateContent`)
  expect(call?.headers.authorization).toMatch(/^Bearer /)
  expect(call?.headers).not.toHaveProperty('x-goog-api-key')
})
