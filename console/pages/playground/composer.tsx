import { type KeyboardEvent, useState } from 'react'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { messages } from './messages.ts'

/** The field for the next question. It stays at the lower edge of the window. */
export function Composer({
  isRunning,
  isReady,
  onSend,
  onStop,
  onDraft,
}: {
  isRunning: boolean
  /** Whether a model is chosen. */
  isReady: boolean
  onSend(question: string): void
  onStop(): void
  /** Called with each change, for the code of the conversation. */
  onDraft(draft: string): void
}) {
  const text = useText(messages)
  const [draft, setDraft] = useState('')
  const change = (next: string) => {
    setDraft(next)
    onDraft(next)
  }
  const send = () => {
    if (draft.trim() === '' || isRunning || !isReady) return
    onSend(draft.trim())
    change('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isRunning) onStop()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className="sticky bottom-0 z-10 -mx-1 flex flex-wrap items-end gap-2 bg-canvas px-1 py-3"
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        aria-label={text.question}
        placeholder={text.placeholder}
        value={draft}
        onChange={event => change(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-[40vh] min-h-9 min-w-0 flex-1 resize-none rounded-md border border-control bg-surface px-3 py-1.5 shadow-raised placeholder:text-muted"
      />
      {isRunning ? (
        <Button icon="stop" onClick={onStop}>
          {text.stop}
        </Button>
      ) : (
        <PermittedButton
          field="Mutation.createPlaygroundKey"
          type="submit"
          kind="primary"
          icon="send"
          disabled={draft.trim() === '' || !isReady}
        >
          {text.send}
        </PermittedButton>
      )}
      <p className="hidden w-full text-xs text-muted sm:block">{text.keys}</p>
    </form>
  )
}
