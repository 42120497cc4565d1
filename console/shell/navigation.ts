import type { IconName } from '../ui/icon.tsx'
import type { messages } from './messages.ts'

/** A page in the navigation and in the command palette. */
export interface NavigationItem {
  to:
    | '/'
    | '/alerts'
    | '/audit-log'
    | '/billing'
    | '/budgets'
    | '/callbacks'
    | '/credentials'
    | '/first-steps'
    | '/keys'
    | '/members'
    | '/models'
    | '/playground'
    | '/requests'
    | '/settings'
    | '/tasks'
    | '/usage'
  text: keyof typeof messages.en &
    (
      | 'alerts'
      | 'auditLog'
      | 'billing'
      | 'budgets'
      | 'callbacks'
      | 'credentials'
      | 'firstSteps'
      | 'keys'
      | 'members'
      | 'models'
      | 'overview'
      | 'playground'
      | 'requests'
      | 'settings'
      | 'tasks'
      | 'usage'
    )
  icon: IconName
}

/** The pages in the order of the navigation, in groups. The first group has no heading. */
export const navigationGroups: readonly {
  title?: 'groupBuild' | 'groupWatch' | 'groupAccount'
  items: readonly NavigationItem[]
}[] = [
  {
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
]

/** The pages in the order of the navigation. */
export const navigation = navigationGroups.flatMap(({ items }) => items)
