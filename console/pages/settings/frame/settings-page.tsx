import type { ReactNode } from 'react'
import { useText } from '../../../text/language.ts'
import { Page } from '../../../ui/page.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { messages } from './messages.ts'

const addresses = {
  user: '/settings',
  signIn: '/settings/sign-in',
  account: '/settings/account',
} as const

export type SettingsPart = keyof typeof addresses

/** A page of the settings, with links to the others. */
export function SettingsPage({
  part,
  intro,
  children,
}: {
  part: SettingsPart
  intro: string
  children: ReactNode
}) {
  const text = useText(messages)
  return (
    <Page title={`${text.title} · ${text[part]}`} intro={intro}>
      <Tabs
        label={text.title}
        value={part}
        options={[
          ['user', text.user],
          ['signIn', text.signIn],
          ['account', text.account],
        ]}
        linkTo={value => ({ to: addresses[value], search: {} })}
      />
      {children}
    </Page>
  )
}

/** The content of a panel of the settings: texts and a form, at a width that is comfortable to read. */
export function PanelBody({ children }: { children: ReactNode }) {
  return <div className="flex max-w-2xl flex-col gap-4 px-5 py-4">{children}</div>
}
