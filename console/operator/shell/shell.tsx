import { lazy } from 'react'
import { Appearance } from '../../frame/appearance.tsx'
import { Banner } from '../../frame/banner.tsx'
import { Frame } from '../../frame/frame.tsx'
import { SettingsMenu } from '../../frame/settings-menu.tsx'
import { useText } from '../../text/language.ts'
import { popoverItem } from '../../ui/popover.tsx'
import { leave, type Operator } from '../session/operator-key.ts'
import { frameColours } from './colours.ts'
import { messages } from './messages.ts'
import { useNavigation } from './navigation.ts'

const Palette = lazy(() => import('./palette.tsx'))

/** The frame around every page of an operator. */
export function OperatorShell({ operator }: { operator: Operator }) {
  const text = useText(messages)
  return (
    <Frame
      title={text.operator}
      brand={<Title />}
      groups={useNavigation()}
      menu={<OperatorMenu operator={operator} />}
      banners={
        <Banner tone="accent">
          <span>
            {text.notice} <span className="max-xl:hidden">{text.kept}</span>
          </span>
        </Banner>
      }
      palette={Palette}
      style={frameColours}
    />
  )
}

function Title() {
  const text = useText(messages)
  return (
    <p className="flex items-center gap-2 px-2.5 py-1.5 text-lg font-semibold tracking-tight">
      Rubicon <span className="rounded-sm bg-hover px-1.5 text-xs font-medium">{text.operator}</span>
    </p>
  )
}

/** The button with the operator's name, and its panel: theme, language, and the button that forgets the key. */
function OperatorMenu({ operator }: { operator: Operator }) {
  const text = useText(messages)
  return (
    <SettingsMenu label={text.menu} name={operator.name} note={text.operator}>
      <Appearance />
      <div className="mt-1 border-t border-line pt-1">
        <button type="button" className={popoverItem} onClick={leave}>
          {text.leave}
        </button>
      </div>
    </SettingsMenu>
  )
}
