import { expect } from 'vitest'

/** A credential of a customer's own, from its registration to what its vendor is sent. */
export interface CredentialJourney {
  model: string
  /** The body that registers the credential. */
  credential(at: string): Promise<object>
  /** In it, and never shown again. */
  secret: string
  /** The paths of a whole and of a streamed call to the vendor, and the headers that authenticate them. */
  path: string
  streamPath?: string
  /** The model in the body, where the vendor takes it there. */
  sentModel?: string
  headers: Record<string, unknown>
  /** What proves nothing here, and must not travel. */
  without: string[]
  /** Where a token is had first: once, for both calls. */
  tokenPath?: string
}

const atlas = 'vendor_a/atlas'
const lyric = 'vendor_b/lyric'
const prism = 'vendor_c/prism-pro'
const keyId = 'AKIASIM000000001'
const signature = (id: string, region: string) =>
  new RegExp(`^AWS4-HMAC-SHA256 Credential=${id}/\\d{8}/${region}/bedrock/aws4_request, SignedHeaders=`)
const bedrockPath = '/bedrock/anthropic/v1/messages'
const vertexModel =
  '/vertex/v1beta1/projects/sim-project/locations/europe-west4/publishers/google/models/prism-3-pro'

/** Every way to bring a credential; `at` is the simulator's address. */
export const credentialJourneys: Record<string, CredentialJourney> = {
  vendor_a: {
    model: atlas,
    credential: async () => ({ provider: 'vendor_a', api_key: 'sim-own-key-a' }),
    secret: 'sim-own-key-a',
    path: '/openai/v1/chat/completions',
    sentModel: 'atlas-2026-06',
    headers: { authorization: 'Bearer sim-own-key-a' },
    without: ['api-key'],
  },
  'Azure, v1': {
    model: atlas,
    credential: async at => ({
      provider: 'vendor_a',
      api_key: 'sim-own-azure',
      config_json: { endpoint: `${at}/azure`, deployment: 'our-gpt' },
    }),
    secret: 'sim-own-azure',
    path: '/azure/openai/v1/chat/completions',
    sentModel: 'our-gpt',
    headers: { 'api-key': 'sim-own-azure' },
    without: ['authorization'],
  },
  'Azure, a dated version': {
    model: atlas,
    credential: async at => ({
      provider: 'vendor_a',
      config_json: {
        endpoint_url: `${at}/azure`,
        deployment_id: 'our-gpt',
        api_version: '2024-10-21',
        api_key: 'sim-own-azure',
      },
    }),
    secret: 'sim-own-azure',
    path: '/azure/openai/deployments/our-gpt/chat/completions?api-version=2024-10-21',
    headers: { 'api-key': 'sim-own-azure' },
    without: ['authorization'],
  },
  vendor_b: {
    model: lyric,
    credential: async () => ({ provider: 'vendor_b', api_key: 'sim-own-key-b' }),
    secret: 'sim-own-key-b',
    path: '/anthropic/v1/messages',
    sentModel: 'lyric-5',
    headers: { authorization: 'Bearer sim-own-key-b', 'anthropic-version': '2026-10-21' },
    without: ['x-api-key'],
  },
  'vendor_b, an earlier model': {
    model: 'vendor_b/lyric-classic',
    credential: async () => ({ provider: 'vendor_b', api_key: 'sim-own-key-b' }),
    secret: 'sim-own-key-b',
    path: '/anthropic/v1/messages',
    sentModel: 'lyric-4',
    headers: { 'x-api-key': 'sim-own-key-b', 'anthropic-version': '2023-06-01' },
    without: ['authorization'],
  },
  'Bedrock, a pair of keys': {
    model: lyric,
    credential: async at => ({
      provider: 'vendor_b',
      base_url: `${at}/bedrock/anthropic`,
      config_json: { region: 'eu-central-1', access_key_id: keyId, secret_access_key: `secret-of-${keyId}` },
    }),
    secret: `secret-of-${keyId}`,
    path: bedrockPath,
    sentModel: 'anthropic.lyric-5',
    headers: { authorization: expect.stringMatching(signature(keyId, 'eu-central-1')) },
    without: ['x-api-key', 'x-amz-security-token'],
  },
  'Bedrock, temporary keys in one text': {
    model: lyric,
    credential: async at => ({
      provider: 'vendor_b',
      api_key: 'ASIASIM000000001:secret-of-ASIASIM000000001:session',
      base_url: `${at}/bedrock/anthropic`,
      config_json: { region: 'us-east-1' },
    }),
    secret: 'secret-of-ASIASIM000000001',
    path: bedrockPath,
    sentModel: 'anthropic.lyric-5',
    headers: {
      authorization: expect.stringMatching(signature('ASIASIM000000001', 'us-east-1')),
      'x-amz-security-token': 'session',
    },
    without: ['x-api-key'],
  },
  'Bedrock, a bearer key': {
    model: lyric,
    credential: async at => ({
      provider: 'vendor_b',
      api_key: 'sim-own-bedrock',
      base_url: `${at}/bedrock/anthropic`,
      config_json: { region: 'us-west-2', model_prefix: 'us.anthropic.' },
    }),
    secret: 'sim-own-bedrock',
    path: bedrockPath,
    sentModel: 'us.anthropic.lyric-5',
    headers: { authorization: 'Bearer sim-own-bedrock' },
    without: ['x-api-key', 'x-amz-date'],
  },
  vendor_c: {
    model: prism,
    credential: async () => ({ provider: 'vendor_c', api_key: 'sim-own-key-c' }),
    secret: 'sim-own-key-c',
    path: '/gemini/v1beta/models/prism-3-pro:generateContent',
    streamPath: '/gemini/v1beta/models/prism-3-pro:streamGenerateContent?alt=sse',
    headers: { 'x-goog-api-key': 'sim-own-key-c' },
    without: ['authorization'],
  },
  'Vertex, a service account': {
    model: prism,
    credential: async at => ({
      provider: 'vendor_c',
      base_url: `${at}/vertex`,
      config_json: {
        region: 'europe-west4',
        service_account: await (await fetch(`${at}/vertex/service-account.json`)).json(),
      },
    }),
    secret: 'BEGIN PRIVATE KEY',
    path: `${vertexModel}:generateContent`,
    streamPath: `${vertexModel}:streamGenerateContent?alt=sse`,
    headers: { authorization: expect.stringMatching(/^Bearer ya29\.sim-/) },
    without: ['x-goog-api-key'],
    tokenPath: '/vertex/token',
  },
}
