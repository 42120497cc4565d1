import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { InferenceError } from '../../inference/inference-error.tsx'
import { useCost } from '../../inference/use-cost.ts'
import { useFormat, useText } from '../../text/language.ts'
import { Money } from '../../ui/values.tsx'
import { Markdown } from './markdown.tsx'
import { messages } from './messages.ts'
import type { Exchange } from './use-chat.ts'

/** A question, its answer, and what the answer cost. */
export function ShownExchange({ exchange }: { exchange: Exchange }) {
  const text = useText(messages)
  const { question, model, produced, state, error } = exchange
  const isRunning = state === 'waiting' || state === 'streaming'
  const isEmpty = produced.text + produced.reasoning + produced.toolCalls === ''
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="ml-auto max-w-[85%] rounded-lg bg-hover px-3 py-2 break-words whitespace-pre-wrap">
        <span className="sr-only">{text.you}: </span>
        {question}
      </div>
      <article aria-label={text.answer(model)} aria-busy={isRunning} className="flex min-w-0 flex-col gap-3">
        {isEmpty && isRunning && (
          <p className="animate-pulse text-muted motion-reduce:animate-none">{text.waiting}</p>
        )}
        {produced.reasoning !== '' && (
          <details className="text-sm text-muted" open={isRunning && produced.text === ''}>
            <summary>{text.reasoning}</summary>
            <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap">{produced.reasoning}</p>
          </details>
        )}
        {produced.text !== '' && <Markdown text={produced.text} />}
        {produced.toolCalls !== '' && (
          <div className="flex flex-col gap-1 text-sm">
            <span className="text-muted">{text.toolCalls}</span>
            <code className="font-mono break-words whitespace-pre-wrap">{produced.toolCalls}</code>
          </div>
        )}
        {produced.finishReason === 'length' && <p className="text-sm text-muted">{text.cut}</p>}
        {state === 'stopped' && <p className="text-sm text-muted">{text.stopped}</p>}
        {state === 'failed' && <InferenceError error={error} />}
        {!isRunning && <Figures exchange={exchange} />}
      </article>
    </div>
  )
}

/** Cost, tokens and times of an ended answer. */
function Figures({ exchange: { requestId, firstMs, totalMs } }: { exchange: Exchange }) {
  const text = useText(messages)
  const format = useFormat()
  const cost = useCost(requestId)
  if (requestId === undefined) return null
  const figures: [name: string, value: ReactNode][] = [
    [text.cost, cost ? <Money key="cost" amount={cost.cost} isRounded /> : '…'],
    [
      text.tokens,
      cost && text.tokensOf(format.number(cost.promptTokens), format.number(cost.completionTokens)),
    ],
    [text.firstToken, firstMs !== undefined && format.duration(firstMs)],
    [text.duration, totalMs !== undefined && format.duration(totalMs)],
  ]
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      <dl className="contents">
        {figures
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name} className="flex gap-1">
              <dt>{name}</dt>
              <dd className="text-ink">{value}</dd>
            </div>
          ))}
      </dl>
      <Link to="/requests" search={{ request: requestId }} className="underline hover:text-ink">
        {text.details}
      </Link>
    </div>
  )
}
