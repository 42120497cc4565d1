import { useText } from '../../../text/language.ts'
import { SettingsPage } from '../frame/settings-page.tsx'
import { AccountName } from './account-name.tsx'
import { Allowances } from './allowances.tsx'
import { CloseAccount } from './close-account.tsx'
import { Export } from './export.tsx'
import { messages } from './messages.ts'
import { Policy } from './policy.tsx'

export default function AccountSettingsPage() {
  const text = useText(messages)
  return (
    <SettingsPage part="account" intro={text.intro}>
      <AccountName />
      <Policy />
      <Allowances />
      <Export />
      <CloseAccount />
    </SettingsPage>
  )
}
