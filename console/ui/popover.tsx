import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'

/** React 18 has no types for these attributes. */
const popoverAttribute = { popover: 'auto' }

/**
 * A button that opens a panel beside it. The browser closes the panel on Escape and on a click elsewhere. The panel
 * holds ordinary buttons and fields, in the order of the keyboard.
 */
export function Popover({
  trigger,
  label,
  triggerClass,
  children,
}: {
  trigger: ReactNode
  /** Says what the button opens, before its content, to screen readers only. */
  label: string
  triggerClass: string
  children: (close: () => void) => ReactNode
}) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  useLayoutEffect(() => {
    if (!isOpen || !panel.current) return
    // The panel grows when its content is rendered and when data arrives, each time perhaps beyond the window.
    const observer = new ResizeObserver(() => place(button.current, panel.current))
    observer.observe(panel.current)
    return () => observer.disconnect()
  }, [isOpen])
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        className={triggerClass}
        {...{ popovertarget: id }}
      >
        <span className="sr-only">{label}</span>
        {trigger}
      </button>
      <div
        ref={element => {
          panel.current = element
          if (!element) return
          element.ontoggle = event => {
            setIsOpen('newState' in event && event.newState === 'open')
          }
        }}
        id={id}
        {...popoverAttribute}
        className="fixed m-0 max-h-[calc(100dvh-1rem)] max-w-[calc(100vw-1rem)] min-w-56 overflow-y-auto rounded-lg border border-line bg-raised p-1.5 shadow-overlay"
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </>
  )
}

/** Places a panel below its button, or above it if there is too little space below, inside the window. */
function place(button: HTMLElement | null, panel: HTMLElement | null): void {
  if (!button || !panel) return
  const box = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = panel
  const isBelow = box.bottom + 6 + height <= window.innerHeight
  panel.style.left = `${Math.max(8, Math.min(box.left, window.innerWidth - width - 8))}px`
  panel.style.top = `${isBelow ? box.bottom + 6 : Math.max(8, box.top - 6 - height)}px`
}

/** A row of a popover that does something. */
export const popoverItem =
  'flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left hover:bg-hover aria-[current=true]:font-semibold'
