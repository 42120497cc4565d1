import type { PageGroup } from '../frame/frame.tsx'
import { useText } from '../text/language.ts'
import type { IconName } from '../ui/icon.tsx'
import { messages } from './messages.ts'

type Text = keyof typeof messages.en

/** The pages in the order of the navigation, in groups. The first group has no heading. */
const navigation = [
  {
    title: undefined,
    items: [
      { to: '/', text: 'overview', icon: 'overview' },
      { to: '/first-steps', text: 'firstSteps', icon: 'start' },
    ],
  },
  {
    title: 'groupBuild',
    items: [
      { to: '/playground', text: 'playground', icon: 'chat' },
      { to: '/models', text: 'models', icon: 'models' },
      { to: '/keys', text: 'keys', icon: 'key' },
      { to: '/credentials', text: 'credentials', icon: 'plug' },
    ],
  },
  {
    title: 'groupWatch',
    items: [
      { to: '/requests', text: 'requests', icon: 'requests' },
      { to: '/tasks', text: 'tasks', icon: 'tasks' },
      { to: '/callbacks', text: 'callbacks', icon: 'callbacks' },
      { to: '/usage', text: 'usage', icon: 'usage' },
    ],
  },
  {
    title: 'groupAccount',
    items: [
      { to: '/billing', text: 'billing', icon: 'billing' },
      { to: '/budgets', text: 'budgets', icon: 'budget' },
      { to: '/alerts', text: 'alerts', icon: 'bell' },
      { to: '/members', text: 'members', icon: 'people' },
      { to: '/audit-log', text: 'auditLog', icon: 'history' },
      { to: '/settings', text: 'settings', icon: 'settings' },
    ],
  },
] as const satisfies readonly {
  title: Text | undefined
  items: readonly { to: string; text: Text; icon: IconName }[]
}[]

/** Returns the pages of the navigation and of the command palette, with their names. */
export function useNavigation(): readonly PageGroup[] {
  const text = useText(messages)
  return navigation.map(({ title, items }) => ({
    title: title && text[title],
    pages: items.map(({ to, text: name, icon }) => ({ to, name: text[name], icon })),
  }))
}
