import { keyQuery } from '../load/graph-query.ts'
import { silentPath } from '../upstream/silent-path.ts'
import type { AttackPlan } from './plan.ts'

/** How an attack asks: bodies in turn, over connections that ask again once they were answered. */
export interface Attack {
  /** Its description in the report. */
  says: string
  /** The process whose neighbours suffer: the edge unless given. Workers are attacked through the edge. */
  target?: 'control' | 'worker'
  connections: number
  /** Total requests per second. Unless given, each connection sends its next request when the last one was answered. */
  perSecond?: number
  /** Number of accounts, 1 unless given. */
  accounts?: number
  /** Whether the accounts have money. */
  hasCredits: boolean
  /** API keys of each account, which take turns. */
  keys: number
  /** Own credentials of each account: their number, vendor, and the path of the upstream at which they fail. */
  credentials?: { count: number; vendor: string; path: string; alwaysUse?: boolean }
  /** Video tasks that the account has had. */
  tasks?: number
  method?: 'GET'
  path?: string
  /** The JSON body. */
  body?(plan: AttackPlan): string
  /** The client reads nothing of its answers. */
  readsNothing?: boolean
}

const megabyte = 1_000_000
const text = (bytes: number) => 'Lorem ipsum dolor sit amet. '.repeat(Math.ceil(bytes / 28)).slice(0, bytes)
const chat = (model: string, content: unknown, others: object = {}) =>
  JSON.stringify({ model, messages: [{ role: 'user', content }], max_tokens: 50, ...others })
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

const logIn = JSON.stringify({ email: 'nobody@example.com', password: 'correct horse battery staple' })

/** What one account may try against its neighbours, by the name of its row. */
export const attacks = {
  'own-credentials': {
    says: '20 failing credentials of its own',
    connections: 20,
    hasCredits: true,
    keys: 50,
    credentials: { count: 20, vendor: 'vendor_a', path: '/nothing' },
    body: ({ model }) => chat(model, 'Hello'),
  },
  lists: {
    says: 'lists of 600,000 tasks',
    connections: 20,
    hasCredits: true,
    keys: 50,
    tasks: 600_000,
    method: 'GET',
    path: '/v1/videos/generations?limit=100&status=failed',
  },
  'slow-readers': {
    says: '40 unread answers of 3 MB',
    connections: 40,
    hasCredits: true,
    keys: 50,
    path: '/v1/images/generations',
    body: ({ imageModel, imagePrompt }) =>
      JSON.stringify({ model: imageModel, prompt: imagePrompt, response_format: 'b64_json' }),
    readsNothing: true,
  },
  'many-keys': {
    says: '100 keys without credits',
    connections: 50,
    hasCredits: false,
    keys: 100,
    body: ({ model }) => chat(model, 'Hello'),
  },
  'large-prompts': {
    says: '50 prompts of 1 MB at once',
    connections: 50,
    hasCredits: true,
    keys: 200,
    body: ({ model }) => chat(model, text(megabyte)),
  },
  'unknown-model': {
    says: 'the same for an unknown model',
    connections: 50,
    hasCredits: true,
    keys: 200,
    body: () => chat('nobody/nothing', text(megabyte)),
  },
  'poor-prompts': {
    says: 'the same without credits, over 60 keys',
    connections: 50,
    hasCredits: false,
    keys: 60,
    body: ({ model }) => chat(model, text(megabyte)),
  },
  'large-images': {
    says: 'images of 20 MB, 2 a second',
    connections: 4,
    perSecond: 2,
    hasCredits: true,
    keys: 20,
    body({ model }) {
      const url = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(20 * megabyte)}`
      return chat(model, [{ type: 'image_url', image_url: { url } }])
    },
  },
  'many-tools': {
    says: '10 requests with 1,900 tools at once',
    connections: 10,
    hasCredits: true,
    keys: 50,
    body: ({ model }) => chat(model, 'Hello', { tools: Array.from({ length: 1_900 }, (_, at) => tool(at)) }),
  },
  'tokenizer-bombs': {
    says: 'prompts of 60 kB that are hard to count, a small balance',
    connections: 30,
    hasCredits: false,
    keys: 60,
    body: ({ model }) => chat(model, 'ᚠ\u0301'.repeat(15_000)),
  },
  'silent-vendors': {
    says: 'speech of 8 accounts whose own vendor never answers',
    target: 'worker',
    connections: 16,
    accounts: 8,
    hasCredits: false,
    keys: 1,
    credentials: { count: 1, vendor: 'vendor_a', path: silentPath, alwaysUse: true },
    path: '/v1/audio/speech',
    body: ({ speechModel }) => JSON.stringify({ model: speechModel, input: 'A paper boat in the rain.' }),
  },
  'graph-keys': {
    says: '50 calls of the graph at once, over 30 keys',
    target: 'control',
    connections: 50,
    hasCredits: false,
    keys: 30,
    path: '/graphql',
    body: () => JSON.stringify({ query: keyQuery }),
  },
  'log-ins': {
    says: '60 log-ins at once',
    target: 'control',
    connections: 60,
    hasCredits: false,
    keys: 1,
    path: '/api/v1/auth/log-in',
    body: () => logIn,
  },
} as const satisfies Record<string, Attack>

export type AttackName = keyof typeof attacks
