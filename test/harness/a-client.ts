import OpenAI from 'openai'
import { anAccount, anApiKey, type TestKey } from './an-account.ts'
import type { EdgeSystem } from './an-edge.ts'

export interface TestClient extends TestKey {
  openai: OpenAI
  /** A raw POST under `/v1`. The client disconnects when `signal` aborts. */
  post(path: string, body: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>
}

/** An account with money, a key of it, and the OpenAI SDK on it. */
export async function aClient(
  system: EdgeSystem,
  options: { creditNanos?: bigint } & Omit<Parameters<typeof anApiKey>[1], 'accountId'> = {},
): Promise<TestClient> {
  const { accountId } = await anAccount(system.context, options)
  const key = await anApiKey(system.context, { ...options, accountId })
  return clientOf(system, key)
}

/** The SDK with an existing key. */
export function clientOf(system: Pick<EdgeSystem, 'baseURL'>, key: TestKey): TestClient {
  return {
    ...key,
    openai: new OpenAI({ apiKey: key.text, baseURL: system.baseURL, maxRetries: 0 }),
    post: (path, body, headers = {}, signal = undefined) =>
      fetch(system.baseURL + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.text}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal && { signal }),
      }),
  }
}

/** A chat request with one user message. */
export function saying(content: string, model = 'vendor_a/atlas') {
  return { model, messages: [{ role: 'user' as const, content }] }
}
