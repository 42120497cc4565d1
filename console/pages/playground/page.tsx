import { type ReactNode, useState } from 'react'
import { InferenceError } from '../../inference/inference-error.tsx'
import { ModelField } from '../../inference/model-field.tsx'
import { PlaygroundTabs } from '../../inference/playground-tabs.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ShownExchange } from './answer.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { Composer } from './composer.tsx'
import { messages } from './messages.ts'
import { Settings } from './settings.tsx'
import type { Chat } from './use-chat.ts'
import { useFollow } from './use-follow.ts'
import { usePlayground } from './use-playground.ts'

export default function PlaygroundPage() {
  const text = useText(messages)
  const playground = usePlayground()
  const { models, columns, settings, each } = playground
  const [draft, setDraft] = useState('')
  const [isCode, setIsCode] = useState(false)
  const { end, follow } = useFollow()
  const send = (question: string) => {
    follow()
    playground.send(question)
  }
  return (
    <Page
      title={text.title}
      intro={text.intro}
      actions={<Actions {...playground} showCode={() => setIsCode(true)} />}
    >
      <PlaygroundTabs />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="flex min-w-0 flex-col gap-2">
          <div className={`grid items-start gap-4 ${columns.length > 1 ? 'md:grid-cols-2' : ''}`}>
            {columns.map(({ name, model, chat, choose }) => (
              <Conversation key={name} chat={chat}>
                <ModelField label={text[name]} of={models} value={model} onChange={choose} />
              </Conversation>
            ))}
          </div>
          {playground.fault !== undefined && <InferenceError error={playground.fault} />}
          <div ref={end} className="scroll-mb-24" />
          <Composer
            isRunning={columns.some(({ chat }) => chat.isRunning)}
            isReady={columns[0]?.model !== undefined}
            onSend={send}
            onStop={() => each(chat => chat.stop())}
            onDraft={setDraft}
          />
        </div>
        <div className="flex flex-col gap-4">
          <Checkbox
            label={text.compare}
            checked={playground.isComparing}
            onChange={({ target }) => playground.compare(target.checked)}
          />
          <Settings {...settings} onSystem={settings.setSystem} onEnter={playground.enter} />
        </div>
      </div>
      {isCode && (
        <CodeDialog body={playground.bodyWith(draft, text.example)} onClose={() => setIsCode(false)} />
      )}
    </Page>
  )
}

function Actions({
  columns,
  each,
  showCode,
}: Pick<ReturnType<typeof usePlayground>, 'columns' | 'each'> & { showCode(): void }) {
  const text = useText(messages)
  const isEmpty = columns.every(({ chat }) => chat.exchanges.length === 0)
  return (
    <>
      <Button disabled={isEmpty} onClick={() => each(chat => chat.clear())}>
        {text.clear}
      </Button>
      <Button icon="code" onClick={showCode}>
        {text.asCode}
      </Button>
    </>
  )
}

function Conversation({ chat, children }: { chat: Chat; children: ReactNode }) {
  const text = useText(messages)
  return (
    <Panel>
      <div className="border-b border-line p-4">{children}</div>
      {chat.exchanges.length === 0 ? (
        <EmptyState icon="chat" title={text.emptyTitle}>
          {text.empty}
        </EmptyState>
      ) : (
        <div role="log" aria-live="polite" className="divide-y divide-line">
          {chat.exchanges.map(exchange => (
            <ShownExchange key={exchange.id} exchange={exchange} />
          ))}
        </div>
      )}
    </Panel>
  )
}
