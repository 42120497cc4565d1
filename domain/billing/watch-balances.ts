import { LatestStream } from '../../platform/watch/latest-stream.ts'
import { repeatReading } from '../../platform/watch/repeat-reading.ts'
import type { Context } from '../context.ts'
import { type Balance, readBalances } from './read-balances.ts'

/** What one watcher of a balance is told: each time the latest. */
export type BalanceStream = LatestStream<Balance>

/** Watches balances for any number of watchers: all accounts are read together. */
export interface BalanceWatch {
  /** The balance as it is now, then each time that it has changed, without end. Whoever asks closes it (`return`). */
  watch(accountId: string): BalanceStream
  close(): void
}

/** What is heard within so long is read together. */
const gatherMs = 20

interface Watched {
  accountId: string
  last: Balance | undefined
  streams: Set<BalanceStream>
  /** Those that were told nothing yet. */
  starting: Set<BalanceStream>
  stopListening(): void
}

/** The topic on which changes of an account's balance are told: a hint to read it. */
export function balanceTopic(accountId: string): string {
  return `balance:${accountId}`
}

/**
 * Opens the watch of a process. Charges tell no news, as they are many: a watched balance is read once a second, all of
 * a process by one statement. Top-ups and money by hand tell it at once.
 */
export function openBalanceWatch(context: Pick<Context, 'sql' | 'news' | 'log'>): BalanceWatch {
  const { sql, news } = context
  const watched = new Map<string, Watched>()
  const reading = repeatReading<Watched>(context, {
    gatherMs,
    watched: () => watched.values(),
    read,
    fault: 'watched balances could not be read',
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
    // Those who come while it is read are told by the next reading.
    const starting = new Map(accounts.map(account => [account, [...account.starting]]))
    const accountIds = accounts.map(({ accountId }) => accountId)
    const read = await readBalances({ sql }, { accountIds })
    const balances = new Map(read.map(balance => [balance.accountId, balance]))
    for (const account of accounts) {
      const balance = balances.get(account.accountId)
      if (balance) tell(account, balance, starting.get(account) ?? [])
    }
  }
}

function tell(account: Watched, balance: Balance, starting: readonly BalanceStream[]): void {
  const { last, streams } = account
  const hasChanged = last?.creditsNanos !== balance.creditsNanos || last.heldNanos !== balance.heldNanos
  account.last = balance
  if (hasChanged) for (const stream of streams) stream.push(balance)
  for (const stream of starting) {
    if (!account.starting.delete(stream)) continue // it has left
    streams.add(stream)
    stream.push(balance)
  }
}
