import { useText } from '../../text/language.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { messages } from './messages.ts'
import { anthropicOf, type ChatBody, curlOf, openaiOf } from './snippets.ts'

/** The conversation as a request of an application, with the real address and model. */
export function CodeDialog({ body, onClose }: { body: ChatBody; onClose(): void }) {
  const text = useText(messages)
  const { origin } = location
  return (
    <Dialog side title={text.asCodeTitle} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p className="text-muted">{text.asCodeText}</p>
        <CodeBlock label="curl" code={curlOf(origin, body)} />
        <CodeBlock label="OpenAI SDK" code={openaiOf(origin, body)} />
        <CodeBlock label="Anthropic SDK" code={anthropicOf(origin, body)} />
      </div>
    </Dialog>
  )
}
