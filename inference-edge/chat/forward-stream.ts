import { openStreamBudget } from '../../domain/inference/stream-budget.ts'
import type { ChatChunk, ChunkChoice } from '../../schema/wire/chat.ts'
import { type StreamedChunk, TextChunk } from '../../schema/wire/text-chunk.ts'
import type { ChatStream } from '../../upstreams/call/chat-stream.ts'
import type { Edge } from '../edge.ts'
import type { StreamPresenter } from '../protocols/protocol.ts'
import type { ChatRun } from './chat-run.ts'
import { endsMeaningfully, readProduced } from './read-produced.ts'

/** A vendor's stream, with the functions that send it to the client. */
interface Forwarded {
  stream: ChatStream
  presenter: StreamPresenter
  /** Adds frames to the next write. */
  add(frames: string): void
  /** Sends the added frames. Resolves to whether the client accepted them without back-pressure. Throws ClientGone. */
  send(): Promise<boolean>
}

/**
 * Sends each chunk when it arrives, until the answer ends. Chunks that arrive together with the end are added but not
 * sent. If the budget is used up, the vendor's stream is closed and the answer ends with `length`. Resolves to whether
 * the answer ended at a limit or in a filter.
 */
export async function forwardStream(
  { inference }: Edge,
  run: ChatRun,
  { stream, presenter, add, send }: Forwarded,
): Promise<boolean> {
  const { produced } = run
  const { clock } = inference.context
  const budget = openStreamBudget(inference, run.admission, {
    model: run.model,
    produced,
    reported: () => stream.usage,
  })
  const choices: Choices = new Map()
  let isLimitReached = false
  let isMeaningful = false
  let hasFrames = false

  /** Translates chunks into frames, and measures them. Keeps no reference to the chunks while the client reads. */
  const present = (chunks: StreamedChunk[]) => {
    const now = clock.monotonic()
    const before = produced.transcript.characters
    for (const chunk of chunks) {
      if (chunk instanceof TextChunk) produced.transcript.add(chunk.content)
      else {
        readProduced(chunk, produced.transcript, produced.thoughts)
        isMeaningful ||= endsMeaningfully(chunk)
        noteChoices(choices, chunk, run.admission.choices)
      }
      const frames = presenter.chunk(chunk)
      hasFrames ||= frames !== ''
      add(frames)
    }
    produced.firstChunkAt ??= now
    produced.lastAt = now
    produced.thinks = stream.thinks
    if (produced.transcript.characters > before) produced.firstTextAt ??= now
  }
  const stopAtLimit = () => {
    isLimitReached = true
    stream.disconnect()
  }
  run.onSilence = () => {
    void Promise.resolve(budget.mayContinue()).then(
      mayContinue => mayContinue || stream.isOver || stopAtLimit(),
    )
  }
  for (let chunks = await stream.read(); chunks; chunks = await stream.read()) {
    present(chunks)
    chunks = undefined
    const mayContinue = stream.isOver || budget.mayContinue()
    if (mayContinue !== true && !(await mayContinue)) stopAtLimit()
    if (stream.isOver) continue
    if (!(await send())) produced.hadBackPressure = true
    run.hasReachedClient ||= hasFrames && produced.transcript.characters + produced.thoughts.characters > 0
  }
  run.onSilence = undefined
  if (!isLimitReached) return isMeaningful
  for (const chunk of endingChunks(choices)) add(presenter.chunk(chunk))
  return true
}

/** The choices of an answer, by index: the first chunk of a choice, or undefined once the choice has ended. */
type Choices = Map<number, ChatChunk | undefined>

function noteChoices(choices: Choices, chunk: ChatChunk, count: number): void {
  for (const { index, finish_reason: reason } of chunk.choices) {
    const isKnown = choices.has(index)
    if (isKnown ? reason : choices.size < count) choices.set(index, reason ? undefined : chunk)
  }
}

/** Returns an ending chunk for each choice that has not ended. */
function endingChunks(choices: Choices): ChatChunk[] {
  const ends: ChatChunk[] = []
  for (const [index, chunk] of choices) {
    if (!chunk) continue
    const { id, object, created, model } = chunk
    const choice: ChunkChoice = { index, delta: {}, logprobs: null, finish_reason: 'length' }
    ends.push({ id, object, created, model, choices: [choice] })
  }
  return ends
}
