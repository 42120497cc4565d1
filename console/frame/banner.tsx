import { type ReactNode, useSyncExternalStore } from 'react'
import { useIsAnswering } from '../session/connection.ts'
import { useText } from '../text/language.ts'
import { Icon } from '../ui/icon.tsx'
import { messages } from './messages.ts'

const tones = { warn: 'bg-warn-soft text-warn', accent: 'bg-accent-soft text-accent' }

/** A line above every page about the state of the whole console. */
export function Banner({ tone = 'warn', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <div className={`text-sm ${tones[tone]}`}>
      <p className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 sm:px-8">
        {children}
      </p>
    </div>
  )
}

/** Says that the browser has no connection, or that the service does not answer. Otherwise, nothing is shown. */
export function OfflineBanner() {
  const text = useText(messages)
  const isOnline = useSyncExternalStore(subscribeToConnection, () => navigator.onLine)
  const isAnswering = useIsAnswering()
  if (isOnline && isAnswering) return null
  return (
    <Banner>
      <Icon name="warning" />
      <span className="min-w-0 flex-1">{isOnline ? text.unanswered : text.offline}</span>
    </Banner>
  )
}

function subscribeToConnection(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
