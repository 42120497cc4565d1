import { useQuery } from 'urql'
import { useText } from '../../../text/language.ts'
import { Panel } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { SettingsPage } from '../frame/settings-page.tsx'
import { statusDocument } from './documents.ts'
import { messages } from './messages.ts'
import { Password } from './password.tsx'
import { SecondFactors } from './second-factors.tsx'
import { Sessions } from './sessions.tsx'
import { SingleSignOn } from './single-sign-on.tsx'

export default function SignInSettingsPage() {
  const text = useText(messages)
  const query = useQuery({ query: statusDocument })
  const [{ data }] = query
  return (
    <SettingsPage part="signIn" intro={text.intro}>
      <Panel title={text.password}>
        <Loaded query={query} select={found => found.signInStatus} lines={2}>
          {status => <Password status={status} />}
        </Loaded>
      </Panel>
      <SecondFactors status={data?.signInStatus} />
      {data?.viewer.user && <SingleSignOn email={data.viewer.user.email} />}
      <Sessions />
    </SettingsPage>
  )
}
