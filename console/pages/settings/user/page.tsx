import { useQuery } from 'urql'
import { useText } from '../../../text/language.ts'
import { Panel, Section } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { PanelBody, SettingsPage } from '../frame/settings-page.tsx'
import { Accounts } from './accounts.tsx'
import { Appearance } from './appearance.tsx'
import { type User, userDocument } from './documents.ts'
import { EmailAddress } from './email-address.tsx'
import { messages } from './messages.ts'
import { Profile } from './profile.tsx'

export default function UserSettingsPage() {
  const text = useText(messages)
  const query = useQuery({ query: userDocument })
  return (
    <SettingsPage part="user" intro={text.intro}>
      <Panel title={text.profile}>
        <Loaded query={query} select={data => data.viewer} lines={4}>
          {({ user }) => (
            <PanelBody>{user ? <Person key={user.id} user={user} /> : <p>{text.noUser}</p>}</PanelBody>
          )}
        </Loaded>
      </Panel>
      <Panel title={text.appearance}>
        <Appearance />
      </Panel>
      <Panel title={text.accounts}>
        <Accounts />
      </Panel>
    </SettingsPage>
  )
}

function Person({ user }: { user: User }) {
  const text = useText(messages)
  return (
    <>
      <Profile user={user} />
      <Section title={text.email}>
        <EmailAddress user={user} />
      </Section>
    </>
  )
}
