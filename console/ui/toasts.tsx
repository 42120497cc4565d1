import { useSyncExternalStore } from 'react'
import { openSignal } from '../stores/open-signal.ts'
import { useText } from '../text/language.ts'
import { IconButton } from './button.tsx'
import { messages } from './messages.ts'

interface Toast {
  id: number
  text: string
}

/** How long a notification is shown, in milliseconds. */
const shownMs = 5_000

const signal = openSignal()
let toasts: readonly Toast[] = []
let lastId = 0

/** Shows a short confirmation of an action. Errors belong beside what failed. */
export function notify(text: string): void {
  lastId += 1
  const id = lastId
  set([...toasts.filter(toast => toast.text !== text), { id, text }])
  setTimeout(() => dismiss(id), shownMs)
}

function dismiss(id: number): void {
  set(toasts.filter(toast => toast.id !== id))
}

function set(next: readonly Toast[]): void {
  toasts = next
  signal.notify()
}

/** The notifications, at the lower edge of the page. Screen readers announce them. */
export function Toasts() {
  const shown = useSyncExternalStore(signal.subscribe, () => toasts)
  const text = useText(messages)
  return (
    <section
      aria-label={text.notifications}
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex flex-col items-center gap-2 px-4"
    >
      {shown.map(toast => (
        <div
          key={toast.id}
          className="pointer-events-auto flex items-center gap-2 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-4 shadow-overlay"
        >
          {toast.text}
          <IconButton icon="close" label={text.dismiss} onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </section>
  )
}
