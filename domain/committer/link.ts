import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MessageSocket, openMessageSocket } from '../../platform/ipc/message-socket.ts'
import type { Log } from '../../platform/log.ts'
import { Problem } from '../../schema/errors.ts'
import { problemOf, type Reply, type ReplyOf, type Request } from './messages.ts'

/** The reply to a call. */
export type CallReply = ReplyOf<'checked' | 'reserved' | 'short' | 'extended'>

/** What an edge process does when its connection changes or a message arrives. */
interface LinkEvents {
  /** Called when a committer accepts a connection, with whether it is the same one as before. */
  welcomed(isSame: boolean): void
  /** Called with each reply that belongs to no running call. */
  received(reply: Reply): void
  /** Called every `tickMs`. */
  ticked(): void
  /** Called if the committer runs another build, and so will never accept this process. */
  refused(reason: string): void
}

interface LinkOptions extends LinkEvents {
  log: Log
  /** The committer's Unix socket. */
  path: string
  /** The version of the messages. */
  build: string
}

/** Interval of heartbeats, in milliseconds. */
const tickMs = 250

/** Number of ticks after which a silent committer counts as unavailable: two seconds. */
const maxQuietTicks = 8

/** Minimum and maximum delay before a connection is tried again, in milliseconds. */
const pausesMs = { first: 10, longest: 200 }

/** Maximum number of bytes that wait for the committer to read them. Further calls fail. */
const maxQueuedBytes = 16 << 20

/** The connection of an edge process to the machine's committer. It reconnects by itself. */
export class Link {
  readonly #options: LinkOptions
  readonly #calls = new Map<number, PromiseWithResolvers<CallReply>>()
  readonly #accepted = Promise.withResolvers<void>()
  readonly #timer: NodeJS.Timeout
  #messages: MessageSocket<Request> | undefined
  #committerId = ''
  #isWelcome = false
  #isClosed = false
  #quietTicks = 0
  #lastCall = 0

  constructor(options: LinkOptions) {
    this.#options = options
    this.#accepted.promise.catch(() => {}) // it may be awaited later
    this.#timer = setInterval(() => this.#tick(), tickMs)
    void this.#keepConnected()
  }

  /** Resolves when a committer has accepted the connection for the first time. Rejects if it refuses. */
  get accepted(): Promise<void> {
    return this.#accepted.promise
  }

  /** Whether a committer is connected, even if it is silent. */
  get isConnected(): boolean {
    return this.#isWelcome
  }

  /** Whether a committer is connected and responds. */
  get isAvailable(): boolean {
    return this.#isWelcome && this.#quietTicks < maxQuietTicks
  }

  /** Returns a number that no other call has. */
  nextCall(): number {
    return ++this.#lastCall
  }

  /** Sends a message if a committer is connected. */
  send(message: Request): void {
    if (this.#isWelcome) this.#messages?.send(message)
  }

  /**
   * Sends a call. Resolves to its reply. Throws its error, or `unavailable` if no committer is connected, or if it has
   * been silent for two seconds.
   */
  call(message: (call: number) => Request): Promise<CallReply> {
    const messages = this.#messages
    if (!messages || !this.isAvailable || messages.queuedBytes > maxQueuedBytes)
      return Promise.reject(unavailable())
    const reply = Promise.withResolvers<CallReply>()
    const call = this.nextCall()
    this.#calls.set(call, reply)
    messages.send(message(call))
    return reply.promise
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#messages?.end()
  }

  async #keepConnected(): Promise<void> {
    for (let pauseMs = pausesMs.first; !this.#isClosed; ) {
      const wasAccepted = await this.#use(connect(this.#options.path))
      if (wasAccepted) pauseMs = pausesMs.first
      await sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, pausesMs.longest)
    }
  }

  /** Uses a connection until it ends. Resolves to whether the committer had accepted it. */
  #use(socket: Socket): Promise<boolean> {
    const ended = Promise.withResolvers<boolean>()
    const messages = openMessageSocket<Request, Reply>(socket, {
      receive: replies => {
        this.#quietTicks = 0
        for (const reply of replies) this.#handle(reply)
      },
      closed: () => {
        const isWelcome = this.#isWelcome
        if (isWelcome && !this.#isClosed) this.#options.log.warn('the committer is unavailable')
        this.#messages = undefined
        this.#isWelcome = false
        this.#failCalls()
        ended.resolve(isWelcome)
      },
    })
    socket.once('connect', () => {
      this.#messages = messages
      this.#quietTicks = 0
      messages.send(['hello', this.#options.build])
    })
    return ended.promise
  }

  #handle(reply: Reply): void {
    switch (reply[0]) {
      case 'beat':
        break
      case 'welcome':
        this.#welcome(reply[1])
        break
      case 'refused':
        this.#accepted.reject(new Error(reply[1]))
        this.#options.refused(reply[1])
        break
      case 'settled':
      case 'over':
        this.#options.received(reply)
        break
      default:
        this.#answer(reply)
    }
  }

  #welcome(committerId: string): void {
    const isSame = this.#committerId === committerId
    this.#committerId = committerId
    this.#isWelcome = true
    this.#accepted.resolve()
    this.#options.welcomed(isSame)
  }

  #answer(reply: CallReply | ReplyOf<'failed'>): void {
    const call = this.#calls.get(reply[1])
    this.#calls.delete(reply[1])
    if (!call) this.#options.received(reply)
    else if (reply[0] === 'failed') call.reject(problemOf(reply[2]))
    else call.resolve(reply)
  }

  #tick(): void {
    this.#quietTicks += 1
    this.send(['beat'])
    if (this.#quietTicks === maxQuietTicks && this.#isWelcome) {
      this.#options.log.warn('the committer does not respond')
      this.#failCalls()
    }
    this.#options.ticked()
  }

  #failCalls(): void {
    const failed = [...this.#calls.values()]
    this.#calls.clear()
    for (const { reject } of failed) reject(unavailable())
  }
}

function unavailable(): Problem {
  return new Problem('unavailable', { retryAfterSeconds: 1 })
}
