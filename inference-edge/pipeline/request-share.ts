import type { IncomingMessage } from 'node:http'
import type { Standing } from '../../domain/allowances/allowances.ts'
import { Occupancy } from '../../domain/allowances/occupancy.ts'
import { Pace } from '../../domain/allowances/pace.ts'
import type { Context } from '../../domain/context.ts'
import { paceReading } from '../../platform/http/pace-reading.ts'
import { EventLoopTurns } from '../../platform/process/event-loop-turns.ts'

/** The capacity of this edge process that all accounts occupy. */
export interface Accounts {
  requests: Occupancy
  memory: Occupancy
  /** Turns on the event loop for work on large bodies. */
  turns: EventLoopTurns
  /** Turns for long texts. Several begin at the same time, so that their requests share batches. */
  textTurns: EventLoopTurns
  /** The rate at which bodies are read. */
  bodies: Pace
}

/** Number of long texts whose turns overlap. With 8, a neighbour waits twice as long (docs/decisions/2026-11-25-large-bodies-take-turns.md). */
const textsTogether = 4

export function openAccounts({ config, allowances }: Context): Accounts {
  return {
    requests: new Occupancy(allowances, { resource: 'requests_in_flight', capacity: config.maxInFlight }),
    memory: new Occupancy(allowances, {
      resource: 'memory_bytes',
      capacity: config.bodyMemoryBytes,
      isFirstFree: true,
    }),
    turns: new EventLoopTurns(),
    textTurns: new EventLoopTurns({ together: textsTogether }),
    bodies: new Pace(allowances, 'body_bytes'),
  }
}

/**
 * The capacity that one request occupies until its disposal: a slot among the requests in flight, and memory. Work
 * that continues after the disposal does not count, because nothing would release it.
 */
export class RequestShare {
  readonly #accounts: Accounts
  readonly #standing: Standing
  #bodyBytes = 0
  #answerBytes = 0
  #endTurn: (() => void) | undefined
  #isPaced = false
  #isReleased = false

  /** Occupies a slot. Throws `allowance_exceeded` and `overloaded`. */
  constructor(accounts: Accounts, standing: Standing) {
    accounts.requests.occupy(standing, 1)
    this.#accounts = accounts
    this.#standing = standing
  }

  /** Occupies memory. Throws `allowance_exceeded` and `overloaded`. */
  takeBytes(bytes: number): void {
    if (this.#isReleased) return
    this.#accounts.memory.occupy(this.#standing, bytes, this.#bodyBytes + this.#answerBytes)
    this.#bodyBytes += bytes
  }

  /** Counts the memory of a response. The response is never refused, but the account's next requests may be. */
  addBytes(bytes: number): void {
    if (this.#isReleased) return
    this.#accounts.memory.add(this.#standing, bytes)
    this.#answerBytes += bytes
  }

  /**
   * Counts the memory of a vendor's response while it is read. A response to a call with the account's own credential
   * may be refused. A response to a call with the platform's credential is never refused, because it must be paid for.
   * Throws `allowance_exceeded` and `overloaded`.
   */
  countAnswer(bytes: number, { isOwn }: { isOwn: boolean }): void {
    if (isOwn) this.takeBytes(bytes)
    else this.addBytes(bytes)
  }

  /** Reads or discards the body of a request no faster than the account's allowance permits. */
  pace(request: IncomingMessage): void {
    if (this.#isPaced || request.complete) return
    this.#isPaced = true
    paceReading(request, bytes => this.delayMs(bytes))
  }

  /** Counts bytes of a body that were read, and returns the delay after which more may be read, in milliseconds. */
  delayMs(bytes: number): number {
    return this.#accounts.bodies.delayMs(this.#standing, bytes)
  }

  /** Waits for a turn on the event loop, for work on a large body or answer. Ends the turn before it. */
  async beginTurn(turns: EventLoopTurns = this.#accounts.turns): Promise<void> {
    this.endTurn()
    const { accountId, isPaying } = this.#standing
    this.#endTurn = await turns.begin({ id: accountId, isPreferred: isPaying })
  }

  /** Waits for a turn for a body of more than 64 kB that has few values, such as a long text. */
  beginTextTurn(): Promise<void> {
    return this.beginTurn(this.#accounts.textTurns)
  }

  /** Ends the turn, if one has begun. */
  endTurn(): void {
    this.#endTurn?.()
  }

  [Symbol.dispose](): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.endTurn()
    this.#accounts.requests.release(this.#standing, 1)
    this.#accounts.memory.release(this.#standing, this.#bodyBytes)
    this.#accounts.memory.remove(this.#standing, this.#answerBytes)
  }
}
