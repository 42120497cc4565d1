import { lazy } from 'react'
import { Frame } from '../frame/frame.tsx'
import { SettingsMenu } from '../frame/settings-menu.tsx'
import { useSession } from '../session/session.ts'
import { useText } from '../text/language.ts'
import { Brand } from './brand.tsx'
import { messages } from './messages.ts'
import { useNavigation } from './navigation.ts'
import { OpenSteps } from './open-steps.tsx'
import { useViewer } from './use-viewer.ts'

const Palette = lazy(() => import('./palette.tsx'))
const Settings = lazy(() => import('./settings.tsx'))

/** The frame around every page of an account. */
export function Shell() {
  return (
    <Frame
      title="Rubicon"
      brand={<Brand />}
      groups={useNavigation()}
      menu={<AccountMenu />}
      banners={<OpenSteps />}
      palette={Palette}
    />
  )
}

/** The button with the account's name, and its panel: other accounts, theme, language, log-out. */
function AccountMenu() {
  const text = useText(messages)
  const session = useSession()
  const viewer = useViewer()
  return (
    <SettingsMenu label={text.menu} name={session?.accountName} note={viewer?.user?.email}>
      <Settings />
    </SettingsMenu>
  )
}
