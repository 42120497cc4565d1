import { useQuery } from 'urql'
import { useText } from '../../../text/language.ts'
import { Panel } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { PanelBody, SettingsPage } from '../frame/settings-page.tsx'
import { Accounts } from './accounts.tsx'
import { Appearance } from './appearance.tsx'
import { userDocument } from './documents.ts'
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
            <PanelBody>{user ? <Profile key={user.id} user={user} /> : <p>{text.noUser}</p>}</PanelBody>
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
