import { type ReactNode, useEffect, useState } from 'react'
import { useClient } from 'urql'
import { graphql, type ResultOf } from '../graph/documents.ts'
import { endSession, switchAccount } from '../session/session.ts'
import { chooseLanguage, languages, useLanguage, useText } from '../text/language.ts'
import { Icon } from '../ui/icon.tsx'
import { popoverItem } from '../ui/popover.tsx'
import { chooseTheme, themes, useTheme } from '../ui/theme.ts'
import { messages } from './settings-messages.ts'

/** Lists the accounts of a user. A user rarely has more than a page of them. */
const accountsDocument = graphql(`
  query Accounts {
    memberships(first: 100) { nodes { accountId accountName isCurrent } }
  }
`)

/** The panel of the account's button: other accounts, theme, language, log-out. */
export default function Settings() {
  const text = useText(messages)
  const theme = useTheme()
  const language = useLanguage()
  return (
    <>
      <Accounts />
      <Section title={text.theme}>
        {themes.map(name => (
          <Choice key={name} isChosen={theme === name} onClick={() => chooseTheme(name)}>
            {text.themes[name]}
          </Choice>
        ))}
      </Section>
      <Section title={text.language}>
        {(Object.keys(languages) as (keyof typeof languages)[]).map(name => (
          <Choice key={name} isChosen={language === name} onClick={() => chooseLanguage(name)}>
            <span lang={name}>{languages[name]}</span>
          </Choice>
        ))}
      </Section>
      <div className="mt-1 border-t border-line pt-1">
        <a className={popoverItem} href="/docs">
          <Icon name="external" />
          {text.docs}
        </a>
        <a className={popoverItem} href="/graphql">
          <Icon name="external" />
          {text.explorer}
        </a>
        <button type="button" className={popoverItem} onClick={() => void endSession()}>
          {text.logOut}
        </button>
      </div>
    </>
  )
}

type Memberships = NonNullable<ResultOf<typeof accountsDocument>['memberships']>['nodes']

/** The user's accounts, read when the panel opens. A single account is not listed. */
function Accounts() {
  const text = useText(messages)
  const client = useClient()
  const [accounts, setAccounts] = useState<Memberships>([])
  useEffect(() => {
    const reading = client.query(accountsDocument, {}, { requestPolicy: 'network-only' }).toPromise()
    reading.then(({ data }) => setAccounts(data?.memberships?.nodes ?? [])).catch(() => undefined)
  }, [client])
  if (accounts.length < 2) return null
  return (
    <Section title={text.accounts}>
      {accounts.map(({ accountId, accountName, isCurrent }) => (
        <Choice key={accountId} isChosen={isCurrent} onClick={() => void switchAccount(accountId)}>
          {accountName}
        </Choice>
      ))}
    </Section>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="border-b border-line py-1 last-of-type:border-0">
      <p className="px-2.5 py-1 text-xs font-medium text-muted">{title}</p>
      {children}
    </section>
  )
}

function Choice({
  isChosen,
  onClick,
  children,
}: {
  isChosen: boolean
  onClick(): void
  children: ReactNode
}) {
  return (
    <button type="button" className={popoverItem} aria-pressed={isChosen} onClick={onClick}>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {isChosen && <Icon name="check" className="text-accent" />}
    </button>
  )
}
