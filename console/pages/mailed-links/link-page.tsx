import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { endSession, useSession } from '../../session/session.ts'
import { EntryPage } from '../../shell/entry-page.tsx'
import { useText } from '../../text/language.ts'
import { buttonClass } from '../../ui/button.tsx'
import { messages } from './messages.ts'

/** A page that a link in an e-mail opens. Opening it changes nothing: programs open links too. */
export function LinkPage({ title, token, children }: { title: string; token: string; children: ReactNode }) {
  const text = useText(messages)
  const session = useSession()
  const footer = session ? (
    <button type="button" className="underline hover:text-ink" onClick={() => void endSession()}>
      {text.logOut}
    </button>
  ) : (
    <Link to="/log-in" className="underline hover:text-ink">
      {text.toLogIn}
    </Link>
  )
  return (
    <EntryPage title={title} footer={footer}>
      {token === '' ? <p role="alert">{text.noToken}</p> : children}
    </EntryPage>
  )
}

/** What the page shows after it has done its work: the result, and the next step. */
export function Done({ children, action }: { children: ReactNode; action: ReactNode }) {
  return (
    <>
      <p role="status" className="break-words">
        {children}
      </p>
      {action}
    </>
  )
}

/** Leads to the console, through the log-in page if there is no session. The page is loaded again, without the token. */
export function ToConsole({ label }: { label: string }) {
  return (
    <a className={buttonClass('primary')} href="/console">
      {label}
    </a>
  )
}
