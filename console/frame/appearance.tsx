import type { ReactNode } from 'react'
import { chooseTheme, themes, useTheme } from '../stores/theme.ts'
import { chooseLanguage, languages, useLanguage, useText } from '../text/language.ts'
import { Icon } from '../ui/icon.tsx'
import { popoverItem } from '../ui/popover.tsx'
import { messages } from './appearance-messages.ts'

/** The choice of theme and language, in the panel of settings. */
export function Appearance() {
  const text = useText(messages)
  const theme = useTheme()
  const language = useLanguage()
  return (
    <>
      <SettingsSection title={text.theme}>
        {themes.map(name => (
          <Choice key={name} isChosen={theme === name} onClick={() => chooseTheme(name)}>
            {text.themes[name]}
          </Choice>
        ))}
      </SettingsSection>
      <SettingsSection title={text.language}>
        {(Object.keys(languages) as (keyof typeof languages)[]).map(name => (
          <Choice key={name} isChosen={language === name} onClick={() => chooseLanguage(name)}>
            <span lang={name}>{languages[name]}</span>
          </Choice>
        ))}
      </SettingsSection>
    </>
  )
}

/** A part of the panel of settings. */
export function SettingsSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="border-b border-line py-1 last-of-type:border-0">
      <p className="px-2.5 py-1 text-xs font-medium text-muted">{title}</p>
      {children}
    </section>
  )
}

/** One of several values in the panel of settings. */
export function Choice({
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
