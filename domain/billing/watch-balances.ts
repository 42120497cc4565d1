import { explainFault } from '../../platform/process/explain-fault.ts'
import type { Context } from '../context.ts'
import { BalanceStream } from './balance-stream.ts'
import { type Balance, readBalances } from './read-balances.ts'

/** Watches balances for any number of watchers: all accounts are read together. */
export interface BalanceWatch {
  /** The balance as it is now, then each time that it has changed, without end. Whoever asks closes it (`return`). */
  watch(accountId: string): BalanceStream
  close(): void
}

/** Balances are read again so often, whether anything was heard of them or not. */
const readEveryMs = 1_000

/** What is heard within so long is read together. */
const gatherMs = 20

/** Accounts read by one statement. */
const mostAtOnce = 500

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
export function openBalanceWatch({ sql, news, log }: Pick<Context, 'sql' | 'news' | 'log'>): BalanceWatch {
  const watched = new Map<string, Watched>()
  const due = new Set<Watched>()
  let gathering: NodeJS.Timeout | undefined
  let isReading = false

  const readSoon = (account: Watched) => {
    due.add(account)
    if (!isReading) gathering ??= setTimeout(readDue, gatherMs)
  }
  const every = setInterval(() => {
    for (const account of watched.values()) readSoon(account)
  }, readEveryMs)

  return {
    watch(accountId) {
      const account = watched.get(accountId) ?? begin(accountId)
      const stream = new BalanceStream(() => leave(account, stream))
      account.starting.add(stream)
      readSoon(account)
      return stream
    },
    close() {
      clearInterval(every)
      clearTimeout(gathering)
      for (const { streams, starting } of [...watched.values()])
        for (const stream of [...streams, ...starting]) void stream.return()
    },
  }

  function begin(accountId: string): Watched {
    const stopListening = news.subscribe(balanceTopic(accountId), () => readSoon(account))
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
    due.delete(account)
    account.stopListening()
  }

  async function readDue(): Promise<void> {
    gathering = undefined
    isReading = true
    while (due.size > 0) {
      const accounts = [...due].slice(0, mostAtOnce)
      for (const account of accounts) due.delete(account)
      // Those who come while it is read are told by the next reading.
      const starting = new Map(accounts.map(account => [account, [...account.starting]]))
      const read = await readBalances(
        { sql },
        { accountIds: accounts.map(({ accountId }) => accountId) },
      ).catch(error => {
        log.warn({ error: explainFault(error) }, 'watched balances could not be read')
      })
      if (!read) break // the next second tries again
      const balances = new Map(read.map(balance => [balance.accountId, balance]))
      for (const account of accounts) {
        const balance = balances.get(account.accountId)
        if (balance) tell(account, balance, starting.get(account) ?? [])
      }
    }
    isReading = false
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
