import { keyQuery } from '../load/compose-request.ts'
import { silentPath } from '../upstream/directions.ts'

/** How an attack sends requests. */
export interface Attack {
  /** Its description in the report. */
  description: string
  /** The process whose neighbours suffer, the edge unless given. Workers are attacked through the edge. */
  target?: 'control' | 'worker'
  connections: number
  /** Total requests per second. Unless given, each connection sends its next request after the response. */
  perSecond?: number
  /** Number of accounts, 1 unless given. */
  accounts?: number
  /** Whether the accounts have no credits. */
  isPoor?: true
  /** API keys of each account, which take turns; 50 unless given. */
  keys?: number
  /** Own credentials of each account: their number, vendor, and the path of the upstream at which they fail. */
  credentials?: { count: number; vendor: string; path: string; alwaysUse?: true }
  /** Number of video tasks that the account has had. */
  tasks?: number
  method?: 'GET'
  /** Chat completions unless given. */
  path?: string
  /** Returns the JSON body. */
  body?(plan: AttackPlan): object
  /** Whether the client does not read its responses. */
  readsNothing?: true
}

/** One attack, which its process receives. */
export interface AttackPlan {
  name: string
  port: number
  /** API keys of the attacking accounts, which take turns. */
  keys: string[]
  model: string
  imageModel: string
  speechModel: string
  imagePrompt: string
}

/** The number of responses that an attack got, by status. */
export type AttackTally = Record<string, number>

const megabyte = 1_000_000
const text = (bytes: number) => 'Lorem ipsum dolor sit amet. '.repeat(Math.ceil(bytes / 28)).slice(0, bytes)
const chat = (model: string, content: unknown, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content }],
  max_tokens: 50,
  ...more,
})
const tool = (at: number) => ({
  type: 'function',
  function: {
    name: `look_up_${at}`,
    description: 'Looks a word up.',
    parameters: {
      type: 'object',
      properties: { word: { type: 'string', description: 'The word.' }, language: { enum: ['en', 'de'] } },
      required: ['word'],
    },
  },
})

/** What an account may try against its neighbours. */
export const attacks = {
  'own-credentials': {
    description: '20 failing credentials of its own',
    connections: 20,
    credentials: { count: 20, vendor: 'vendor_a', path: '/nothing' },
    body: ({ model }) => chat(model, 'Hello'),
  },
  lists: {
    description: 'lists of 600,000 tasks',
    connections: 20,
    tasks: 600_000,
    method: 'GET',
    path: '/v1/videos/generations?limit=100&status=failed',
  },
  'slow-readers': {
    description: '40 unread answers of 3 MB',
    connections: 40,
    path: '/v1/images/generations',
    body: ({ imageModel: model, imagePrompt: prompt }) => ({ model, prompt, response_format: 'b64_json' }),
    readsNothing: true,
  },
  'many-keys': {
    description: '100 keys without credits',
    connections: 50,
    isPoor: true,
    keys: 100,
    body: ({ model }) => chat(model, 'Hello'),
  },
  'large-prompts': {
    description: '50 prompts of 1 MB at once',
    connections: 50,
    keys: 200,
    body: ({ model }) => chat(model, text(megabyte)),
  },
  'long-prompts': {
    description: '50 prompts of 100 kB at once',
    connections: 50,
    keys: 200,
    body: ({ model }) => chat(model, text(megabyte / 10)),
  },
  'unknown-model': {
    description: '50 prompts of 1 MB at once for an unknown model',
    connections: 50,
    keys: 200,
    body: () => chat('nobody/nothing', text(megabyte)),
  },
  'poor-prompts': {
    description: '50 prompts of 1 MB at once without credits, over 60 keys',
    connections: 50,
    isPoor: true,
    keys: 60,
    body: ({ model }) => chat(model, text(megabyte)),
  },
  'large-images': {
    description: 'images of 20 MB, 2 a second',
    connections: 4,
    perSecond: 2,
    keys: 20,
    body({ model }) {
      const url = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(20 * megabyte)}`
      return chat(model, [{ type: 'image_url', image_url: { url } }])
    },
  },
  'many-tools': {
    description: '10 requests with 1,900 tools at once',
    connections: 10,
    body: ({ model }) => chat(model, 'Hello', { tools: Array.from({ length: 1_900 }, (_, at) => tool(at)) }),
  },
  'some-tools': {
    description: '50 requests with 220 tools at once, 60 kB each',
    connections: 50,
    keys: 200,
    body: ({ model }) => chat(model, 'Hello', { tools: Array.from({ length: 220 }, (_, at) => tool(at)) }),
  },
  'more-tools': {
    description: '50 requests with 440 tools at once, 120 kB each',
    connections: 50,
    keys: 200,
    body: ({ model }) => chat(model, 'Hello', { tools: Array.from({ length: 440 }, (_, at) => tool(at)) }),
  },
  'tokenizer-bombs': {
    description: 'prompts of 60 kB that are hard to count, without credits',
    connections: 30,
    isPoor: true,
    keys: 60,
    body: ({ model }) => chat(model, 'ᚠ\u0301'.repeat(15_000)),
  },
  'silent-vendors': {
    description: 'speech of 8 accounts whose own vendor never answers',
    target: 'worker',
    connections: 16,
    accounts: 8,
    isPoor: true,
    keys: 1,
    credentials: { count: 1, vendor: 'vendor_a', path: silentPath, alwaysUse: true },
    path: '/v1/audio/speech',
    body: ({ speechModel: model }) => ({ model, input: 'A paper boat in the rain.' }),
  },
  'graph-keys': {
    description: '50 calls of the graph at once, over 30 keys',
    target: 'control',
    connections: 50,
    isPoor: true,
    keys: 30,
    path: '/graphql',
    body: () => ({ query: keyQuery }),
  },
  'log-ins': {
    description: '60 log-ins at once',
    target: 'control',
    connections: 60,
    isPoor: true,
    keys: 1,
    path: '/api/v1/auth/log-in',
    body: () => ({ email: 'nobody@example.com', password: 'correct horse battery staple' }),
  },
} as const satisfies Record<string, Attack>

export type AttackName = keyof typeof attacks
