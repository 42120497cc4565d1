import { messages as shellMessages } from '../../../frame/appearance-messages.ts'
import { chooseTheme, themes, useTheme } from '../../../stores/theme.ts'
import { chooseLanguage, languages, useLanguage, useText } from '../../../text/language.ts'
import { SelectField } from '../../../ui/field.tsx'
import { PanelBody } from '../frame/settings-page.tsx'
import { messages } from './messages.ts'

/** Theme and language, which apply at once. */
export function Appearance() {
  const text = useText(messages)
  const { themes: themeNames } = useText(shellMessages)
  const [theme, language] = [useTheme(), useLanguage()]
  return (
    <PanelBody>
      <p className="text-muted">{text.appearanceText}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={text.theme}
          name="theme"
          value={theme}
          options={themes.map(one => [one, themeNames[one]])}
          onChange={({ target }) => chooseTheme(themes.find(one => one === target.value) ?? 'system')}
        />
        <SelectField
          label={text.language}
          name="language"
          value={language}
          options={Object.entries(languages)}
          onChange={({ target }) => chooseLanguage(target.value === 'de' ? 'de' : 'en')}
        />
      </div>
    </PanelBody>
  )
}
