import { useEffect, useRef, useState } from 'react'
import { streamInference } from '../../inference/call-inference.ts'
import { randomId } from '../../text/random-id.ts'
import { type Produced, readAnswer } from './read-answer.ts'

/** A question and the answer of one model. */
export interface Exchange {
  id: string
  question: string
  model: string
  produced: Produced
  state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed'
  error: unknown
  /** The time from sending the request to the first character, and to the end, in milliseconds. */
  firstMs: number | undefined
  totalMs: number | undefined
  /** The request's ID in the log. */
  requestId: string | undefined
}

/** The model and the settings of a question. */
export interface ChatSettings {
  model: string
  system: string
  parameters: Record<string, unknown>
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** A conversation with one model. */
export interface Chat {
  exchanges: readonly Exchange[]
  isRunning: boolean
  send(question: string, settings: ChatSettings): Promise<void>
  stop(): void
  clear(): void
}

const nothing: Produced = { text: '', reasoning: '', toolCalls: '', finishReason: undefined }

/** Returns the messages of a conversation with a new question. Answers without text are left out, with their questions. */
export function messagesOf(exchanges: readonly Exchange[], system: string, question: string): ChatMessage[] {
  const answered = exchanges.filter(({ produced }) => produced.text !== '')
  return [
    ...(system.trim() === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...answered.flatMap(({ question: asked, produced }) => [
      { role: 'user' as const, content: asked },
      { role: 'assistant' as const, content: produced.text },
    ]),
    { role: 'user', content: question },
  ]
}

/** Opens a conversation, which lives as long as its page. Leaving the page stops the answer. */
export function useChat(): Chat {
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([])
  const running = useRef<AbortController>()
  useEffect(() => () => running.current?.abort(), [])
  const send = async (question: string, settings: ChatSettings) => {
    const exchange = begun(question, settings)
    const change = (changes: Partial<Exchange>) =>
      setExchanges(all => all.map(one => (one.id === exchange.id ? { ...one, ...changes } : one)))
    const controller = new AbortController()
    running.current = controller
    setExchanges(all => [...all, exchange])
    const messages = messagesOf(exchanges, settings.system, question)
    await run({ ...settings.parameters, model: settings.model, messages }, controller.signal, change)
  }
  return {
    exchanges,
    isRunning: exchanges.some(({ state }) => state === 'waiting' || state === 'streaming'),
    send,
    stop: () => running.current?.abort(),
    clear() {
      running.current?.abort()
      setExchanges([])
    },
  }
}

function begun(question: string, { model }: ChatSettings): Exchange {
  const open = { error: undefined, firstMs: undefined, totalMs: undefined, requestId: undefined }
  return { id: randomId(), question, model, produced: nothing, state: 'waiting', ...open }
}

/** Sends a request and reports its answer, at most once for each frame of the screen. */
async function run(
  body: object,
  signal: AbortSignal,
  change: (changes: Partial<Exchange>) => void,
): Promise<void> {
  const since = performance.now()
  const elapsed = () => Math.round(performance.now() - since)
  let latest = nothing
  let frame: number | undefined
  let firstMs: number | undefined
  const show = () => {
    frame = undefined
    change({ produced: latest, firstMs })
  }
  try {
    const { stream, requestId } = await streamInference('/chat/completions', {
      body: { ...body, stream: true },
      signal,
    })
    change({ state: 'streaming', requestId })
    await readAnswer(stream, produced => {
      const { text, reasoning, toolCalls } = produced
      if (text + reasoning + toolCalls !== '') firstMs ??= elapsed()
      latest = produced
      frame ??= requestAnimationFrame(show)
    })
    change({ state: 'done' })
  } catch (error) {
    if (signal.aborted) change({ state: 'stopped' })
    else change({ state: 'failed', error })
  } finally {
    if (frame !== undefined) cancelAnimationFrame(frame)
    change({ produced: latest, firstMs, totalMs: elapsed() })
  }
}
