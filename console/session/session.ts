import { useSyncExternalStore } from 'react'
import { openSignal } from '../stores/open-signal.ts'
import { callAuth, ServiceError } from './rest.ts'

/** The tokens of a session, as the sign-in operations return them. */
export interface SessionAnswer {
  access_token: string
  expires_at: string
  account: { id: string; name: string }
}

/** The session of this page. The access token is in memory only. */
export interface Session {
  token: string
  expiresAtMs: number
  accountId: string
  accountName: string
}

/** A token is replaced when it expires within this time, in milliseconds. */
const renewBeforeMs = 30_000

/** Tabs share the cookie: one refresh runs at a time, and each reads the cookie of the previous one. */
const lockName = 'rubicon-session'

/** Marks that this browser has the cookie, which scripts cannot see. A first visit then needs no refresh. */
const markKey = 'has-session'

const signal = openSignal()
const otherTabs = new BroadcastChannel(lockName)
let current: Session | undefined
let refreshing: Promise<Session | undefined> | undefined

otherTabs.onmessage = ({ data }) => {
  if (data === 'ended') set(undefined)
}

/** Returns the session, after refreshing it if its token is missing or expires soon. Resolves to `undefined` if it ended. */
export async function activeSession(): Promise<Session | undefined> {
  if (current && current.expiresAtMs - Date.now() > renewBeforeMs) return current
  return refreshSession()
}

/** Refreshes the session with the cookie. Rejects with `unreachable` if the service does not answer. */
export function refreshSession(): Promise<Session | undefined> {
  refreshing ??= withLock(refresh).finally(() => {
    refreshing = undefined
  })
  return refreshing
}

async function refresh(): Promise<Session | undefined> {
  if (localStorage.getItem(markKey) === null) return undefined
  try {
    const before = current
    const next = sessionOf(await callAuth<SessionAnswer>('POST', 'refresh'))
    // Another tab has switched the account: what this page shows belongs to the previous one.
    if (before && before.accountId !== next.accountId) location.reload()
    return set(next)
  } catch (error) {
    if (error instanceof ServiceError && endings.includes(error.code)) return set(undefined)
    throw error
  }
}

/** Errors of a refresh after which the page has no session. */
const endings = ['token_expired', 'account_closed']

/** Without the Web Locks API, which browsers offer on secure origins only, tabs do not wait for each other. */
function withLock<Result>(work: () => Promise<Result>): Promise<Result> {
  return navigator.locks ? navigator.locks.request(lockName, work) : work()
}

/** Begins a session with the answer of a sign-in operation. */
export function beginSession(answer: SessionAnswer): void {
  set(sessionOf(answer))
}

/** Ends the session on the service and in all tabs, and opens the log-in page. */
export async function endSession(): Promise<void> {
  const session = await activeSession().catch(() => current)
  if (session) await callAuth('POST', 'log-out', { token: session.token })
  leaveSession()
}

/** Ends the session in all tabs, and opens the log-in page. The service already refuses the session. */
export function leaveSession(): void {
  localStorage.removeItem(markKey)
  otherTabs.postMessage('ended')
  location.assign('/console/log-in')
}

/** Switches to another account of the user, and loads the page again, because nothing on it belongs to that account. */
export async function switchAccount(accountId: string): Promise<void> {
  const session = await activeSession()
  await callAuth('POST', 'switch-account', { body: { account_id: accountId }, token: session?.token })
  location.assign('/console')
}

export function useSession(): Session | undefined {
  return useSyncExternalStore(signal.subscribe, () => current)
}

function set(session: Session | undefined): Session | undefined {
  current = session
  if (session) localStorage.setItem(markKey, 'true')
  else localStorage.removeItem(markKey)
  signal.notify()
  return session
}

function sessionOf({ access_token, expires_at, account }: SessionAnswer): Session {
  return {
    token: access_token,
    expiresAtMs: Date.parse(expires_at),
    accountId: account.id,
    accountName: account.name,
  }
}
