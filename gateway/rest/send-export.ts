import { Readable } from 'node:stream'
import type { Allowances } from '../../domain/allowances/allowances.ts'
import { Occupancy } from '../../domain/allowances/occupancy.ts'
import type { Log } from '../../platform/log.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../../subgraphs/runtime/call.ts'
import type { TokenWatch } from '../graph/bound-subscriptions.ts'
import { standingOfCall } from '../graph/standing-of-call.ts'
import type { ControlContext } from '../http/control-context.ts'

/** Maximum number of concurrent exports of a process. */
const maxExports = 64

/** Maximum duration of an export, in milliseconds. A longer export ends with a broken connection. */
const maxExportMs = 600_000

/** The exports that a process is sending. */
export interface Exports {
  /**
   * Sends texts as the response, one after the other as the client reads them, so that one text is in memory at a time.
   * The connection is cut if the client reads nothing for `stalledReaderMs`, if the export takes longer than
   * `maxExportMs`, if the token becomes invalid, or if a text fails. The first text is read before this resolves, so
   * that its errors can still be answered. Throws `allowance_exceeded` if the account has too many exports running, and
   * `conflict` if another one with `isOnlyOne` runs.
   */
  send(ctx: ControlContext, texts: AsyncGenerator<string>, file: ExportedFile): Promise<void>
}

interface ExportedFile {
  /** The content type. */
  type: string
  name: string
  /** Whether the account can run only one export of this kind at a time. */
  isOnlyOne?: boolean
}

/** Opens the exports of a process. */
export function openExports(options: {
  allowances: Allowances
  tokens: TokenWatch
  log: Log
  stalledReaderMs: number
}): Exports {
  const { allowances, tokens } = options
  const exporting = new Occupancy(allowances, { resource: 'exports', capacity: maxExports })
  /** The running exports of which an account, or an operator with a view of it, can run only one. */
  const only = new Set<string>()
  return {
    async send(ctx, texts, { type, name, isOnlyOne = false }) {
      const { call } = ctx.state
      const { accountId } = requireCaller(call)
      const standing = await standingOfCall(allowances, call)
      if (ctx.res.destroyed) return // 'close' was already emitted
      const runner = `${standing.accountId} ${accountId}`
      if (isOnlyOne && only.has(runner))
        throw new Problem('conflict', {
          message: 'An export of this account is running. Retry when it has ended.',
        })
      exporting.occupy(standing, 1)
      if (isOnlyOne) only.add(runner)
      ctx.res.once('close', () => {
        exporting.release(standing, 1)
        if (isOnlyOne) only.delete(runner)
      })
      const stream = await streamTexts(texts, options)
      const { authorization = [] } = ctx.req.headersDistinct
      const stopWatching = tokens.watch({ ...call, authorization }, problem => stream.destroy(problem))
      stream.once('close', stopWatching)
      ctx.body = stream
      ctx.type = type
      ctx.attachment(name)
    },
  }
}

async function streamTexts(
  texts: AsyncGenerator<string>,
  { stalledReaderMs, log }: { stalledReaderMs: number; log: Log },
): Promise<Readable> {
  const deadline = performance.now() + maxExportMs
  const first = await texts.next()
  const stream = Readable.from(timedTexts(), { objectMode: false, highWaterMark: 65_536 })
  return stream

  async function* timedTexts(): AsyncGenerator<string> {
    try {
      for (let step = first; !step.done; step = await next()) {
        if (step.value === '') continue
        const timer = cutIfUnread()
        try {
          yield step.value
        } finally {
          clearTimeout(timer)
        }
      }
      const timer = cutIfUnread() // The connection may still have to accept the last text.
      stream.once('close', () => clearTimeout(timer))
    } finally {
      await texts.return(undefined)
    }
  }

  function cutIfUnread(): NodeJS.Timeout {
    return setTimeout(() => stream.destroy(new Error('left unread')), stalledReaderMs)
  }

  async function next(): Promise<IteratorResult<string>> {
    if (performance.now() > deadline) throw new Error('the export took too long')
    try {
      return await texts.next()
    } catch (error) {
      log.warn({ err: error }, 'an export ended early')
      throw error
    }
  }
}
