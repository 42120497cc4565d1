import { LatestStream } from '../../platform/watch/latest-stream.ts'
import { repeatReading } from '../../platform/watch/repeat-reading.ts'
import type { Context } from '../context.ts'
import { type Balance, readBalances } from './read-balances.ts'

/** The updates for one watcher of a balance: the latest value. */
export type BalanceStream = LatestStream<Balance>

/** Watches balances for any number of watchers: all accounts are read together. */
export interface BalanceWatch {
  /** Returns a stream of the current balance and each change, without end. The caller must close it (`return`). */
  watch(accountId: string): BalanceStream
  close(): void
}

/** Delay in which changes are collected and read together, in milliseconds. */
const gatherMs = 20

interface Watched {
  accountId: string
  last: Balance | undefined
  streams: Set<BalanceStream>
  /** Streams without any value yet. */
  starting: Set<BalanceStream>
  stopListening(): void
}

/** Returns the topic for changes of an account's balance. A message is a hint to read it. */
export function balanceTopic(accountId: string): string {
  return `balance:${accountId}`
}

/**
 * Opens the watch of a process. Charges publish no messages, because they are frequent: the watched balances of a
 * process are read once a second with one statement. Top-ups and manual adjustments publish a message.
 */
export function openBalanceWatch(context: Pick<Context, 'sql' | 'news' | 'log'>): BalanceWatch {
  const { sql, news } = context
  const watched = new Map<string, Watched>()
  const reading = repeatReading<Watched>(context, {
    gatherMs,
    watched: () => watched.values(),
    read,
    fault: 'reading watched balances failed',
  })

  return {
    watch(accountId) {
      const account = watched.get(accountId) ?? begin(accountId)
      const stream: BalanceStream = new LatestStream<Balance>({ onClose: () => leave(account, stream) })
      account.starting.add(stream)
      reading.soon(account)
      return stream
    },
    close() {
      reading.close()
      for (const { streams, starting } of [...watched.values()])
        for (const stream of [...streams, ...starting]) void stream.return()
    },
  }

  function begin(accountId: string): Watched {
    const stopListening = news.subscribe(balanceTopic(accountId), () => reading.soon(account))
    const account: Watched = {
      accountId,
      last: undefined,
      streams: new Set(),
      starting: new Set(),
      stopListening,
    }
    watched.set(accountId, account)
    return account
  }

  function leave(account: Watched, stream: BalanceStream): void {
    account.streams.delete(stream)
    account.starting.delete(stream)
    if (account.streams.size + account.starting.size > 0) return
    if (watched.get(account.accountId) === account) watched.delete(account.accountId)
    reading.forget(account)
    account.stopListening()
  }

  async function read(accounts: Watched[]): Promise<void> {
    // Streams that start during a reading get their first value from the next one.
    const starting = new Map(accounts.map(account => [account, [...account.starting]]))
    const accountIds = accounts.map(({ accountId }) => accountId)
    const current = await readBalances({ sql }, { accountIds })
    const balances = new Map(current.map(balance => [balance.accountId, balance]))
    for (const account of accounts) {
      const balance = balances.get(account.accountId)
      if (balance) publish(account, balance, starting.get(account) ?? [])
    }
  }
}

function publish(account: Watched, balance: Balance, starting: readonly BalanceStream[]): void {
  const { last, streams } = account
  const hasChanged = last?.creditsNanos !== balance.creditsNanos || last.heldNanos !== balance.heldNanos
  account.last = balance
  if (hasChanged) for (const stream of streams) stream.push(balance)
  for (const stream of starting) {
    if (!account.starting.delete(stream)) continue // it was closed
    streams.add(stream)
    stream.push(balance)
  }
}
