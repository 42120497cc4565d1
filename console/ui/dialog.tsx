import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useText } from '../text/language.ts'
import { IconButton } from './button.tsx'
import { messages } from './messages.ts'

/**
 * A modal dialog. The browser's own element keeps the focus inside, closes on Escape, and returns the focus to the
 * button that opened it. It is rendered only while it is open, so a form in it starts empty.
 */
export function Dialog({
  title,
  onClose,
  children,
  side = false,
}: {
  title: string
  onClose(): void
  children: ReactNode
  /** Whether the dialog is a panel at the right edge, over the full height. */
  side?: boolean
}) {
  const text = useText(messages)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    // The browser focuses the first button, which closes. In a form or search, the first field gets the focus.
    if (!side) element?.querySelector<HTMLElement>('input, select, textarea')?.focus()
    return () => element?.close()
  }, [side])
  const shape = side
    ? 'ml-auto mr-0 my-0 h-dvh max-h-none w-full max-w-xl border-l'
    : 'm-auto max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] max-w-lg rounded-lg border'
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      className={`${shape} overflow-auto border-line bg-raised shadow-overlay`}
    >
      <header className="sticky top-0 z-10 flex items-center gap-3 border-b border-line bg-raised py-3 pr-3 pl-5">
        <h2 id={id} className="min-w-0 flex-1 truncate text-lg font-semibold">
          {title}
        </h2>
        <IconButton icon="close" label={text.close} onClick={onClose} />
      </header>
      <div className="p-5">{children}</div>
    </dialog>
  )
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>
}
