import { useEffect, useState } from 'react'
import { useClient } from 'urql'
import { Appearance, Choice, SettingsSection } from '../frame/appearance.tsx'
import { graphql, type ResultOf } from '../graph/documents.ts'
import { endSession, switchAccount } from '../session/session.ts'
import { useText } from '../text/language.ts'
import { Icon } from '../ui/icon.tsx'
import { popoverItem } from '../ui/popover.tsx'
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
  return (
    <>
      <Accounts />
      <Appearance />
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
    <SettingsSection title={text.accounts}>
      {accounts.map(({ accountId, accountName, isCurrent }) => (
        <Choice key={accountId} isChosen={isCurrent} onClick={() => void switchAccount(accountId)}>
          {accountName}
        </Choice>
      ))}
    </SettingsSection>
  )
}
