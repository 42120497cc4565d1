import { useState } from 'react'
import { useText } from '../text/language.ts'
import { Button, IconButton } from './button.tsx'
import { messages } from './messages.ts'
import { notify } from './toasts.tsx'

const shownMs = 1_500

/** Copies a text, and shows for a moment that it did. */
function useCopy(value: string) {
  const text = useText(messages)
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setIsCopied(true)
    notify(text.copied)
    setTimeout(() => setIsCopied(false), shownMs)
  }
  return { text, isCopied, onClick: () => void copy() }
}

export function CopyButton({ value, label }: { value: string; label?: string }) {
  const { text, isCopied, onClick } = useCopy(value)
  const shown = isCopied ? text.copied : (label ?? text.copy)
  return (
    <Button icon={isCopied ? 'check' : 'copy'} onClick={onClick}>
      {shown}
    </Button>
  )
}

/** An ID or other short value, with a button that copies it. */
export function CopyText({ value, shown = value }: { value: string; shown?: string }) {
  const { text, isCopied, onClick } = useCopy(value)
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="truncate font-mono text-sm">{shown}</code>
      <IconButton
        icon={isCopied ? 'check' : 'copy'}
        label={`${text.copy}: ${shown}`}
        onClick={onClick}
        className="-my-1.5"
      />
    </span>
  )
}

/** A command or code example with its title and a button that copies it. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-canvas">
      <div className="flex items-center justify-between gap-3 border-b border-line py-1.5 pr-1.5 pl-4 text-sm text-muted">
        {label}
        <CopyButton value={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="overflow-x-auto p-4">
        <pre className="font-mono text-sm">{code}</pre>
      </section>
    </div>
  )
}
