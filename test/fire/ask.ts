import { setTimeout as sleep } from 'node:timers/promises'

/** The outcome of one request as its client saw it. */
export interface Seen {
  accountId: string
  /** `x-request-id`; undefined where no head arrived. */
  requestId: string | undefined
  status: number | undefined
  /**
   * `answered`: a whole answer, or a stream to its end. `cut`: a head of 200 and then an error, the end of the
   * connection, or the client's own disconnect. `refused`: an error. `lost`: no head arrived. `hung`: no answer came,
   * nor hung up, for a minute. `submitted`: a task was taken.
   */
  end: 'answered' | 'submitted' | 'cut' | 'refused' | 'lost' | 'hung'
  /** When it was sent, by `performance.now()`. */
  sentAt: number
  /** The answer to an earlier request with this Idempotency-Key, in which case nothing was charged for this one. */
  isReplay: boolean
  /** The vendor's id of the answer. */
  answerId: string | undefined
  /** The code of an error. */
  code: string | undefined
  /** Whether the response says that nothing was charged. */
  isToldFree: boolean
}

/** How a client reads: to the end, or as it pleases. */
export interface Reading {
  /** Delay before the client disconnects, in milliseconds. */
  leavesAfterMs?: number
  /** Delay before each read of a chunk, in milliseconds. */
  pausesMs?: number
}

export interface Question extends Reading {
  url: string
  /** `/chat/completions` unless given. */
  path?: string
  key: string
  accountId: string
  body: object
  idempotencyKey?: string
}

const patienceMs = 60_000

/** Sends one request and reads what comes of it. Throws nothing. */
export async function ask(question: Question): Promise<Seen> {
  const { url, path = '/chat/completions', key, accountId, body, idempotencyKey, leavesAfterMs } = question
  const seen: Seen = {
    accountId,
    sentAt: performance.now(),
    end: 'lost',
    requestId: undefined,
    status: undefined,
    isReplay: false,
    answerId: undefined,
    code: undefined,
    isToldFree: false,
  }
  const leaving = AbortSignal.timeout(leavesAfterMs ?? patienceMs)
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      signal: leaving,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
    })
    seen.status = response.status
    seen.requestId = response.headers.get('x-request-id') ?? undefined
    seen.isReplay = response.headers.has('idempotent-replayed')
    seen.end = response.status === 200 ? 'cut' : 'refused'
    readAnswer(seen, await readText(response, question))
  } catch {
    if (leaving.aborted && leavesAfterMs === undefined) seen.end = 'hung'
  }
  return seen
}

async function readText(response: Response, { pausesMs }: Reading): Promise<string> {
  if (pausesMs === undefined || !response.body) return response.text()
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    await sleep(pausesMs)
  }
  return text
}

/** Notes how it ended: a chat counts as answered only with its usage, a stream only with its end. */
function readAnswer(seen: Seen, text: string): void {
  seen.answerId = /"id":"([^"]+)"/.exec(text)?.[1]
  seen.code = /"code":"(\w+)"/.exec(text)?.[1]
  seen.isToldFree = text.includes('othing was charged')
  if (seen.status !== 200) return
  const isWhole = text.startsWith('{') ? text.endsWith('}') : text.trimEnd().endsWith('data: [DONE]')
  const isError = /^(data: )?\{"(code|error)"/m.test(text)
  if (!isWhole || isError) return
  if (text.includes('"object":"video.generation"')) seen.end = 'submitted'
  else if (text.includes('"usage":{') || text.includes('"data":[{"url"')) seen.end = 'answered'
}
