import { useFormat, useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Section } from '../../../ui/page.tsx'
import { DifferenceTable } from './difference-table.tsx'
import { differencesOf } from './differences.ts'
import { messages } from './messages.ts'
import { readEntry } from './read-entry.ts'

/** A published version of an entry. */
export interface Base {
  revision: number
  declaration: unknown
}

/** Explains that another version was published since, with both versions, and what the operator can do. */
export function Conflict({
  base,
  current,
  entered,
  onKeep,
  onDiscard,
}: {
  base: Base | undefined
  current: Base
  entered: string
  onKeep(): void
  onDiscard(): void
}) {
  const text = useText(messages)
  const format = useFormat()
  const read = readEntry(entered, text.noObject)
  const revision = format.number(current.revision)
  return (
    <div role="alert" className="flex flex-col gap-4 rounded-md border border-line bg-warn-soft p-4">
      <p className="font-semibold text-warn">{text.conflictTitle(revision)}</p>
      <p>{text.conflictText}</p>
      {base && (
        <Section title={text.theirs}>
          <DifferenceTable
            caption={text.theirs}
            differences={differencesOf(base.declaration, current.declaration)}
            before={text.revision(format.number(base.revision))}
            after={text.revision(revision)}
          />
        </Section>
      )}
      {'value' in read && (
        <Section title={text.yours}>
          <DifferenceTable
            caption={text.yours}
            differences={differencesOf(current.declaration, read.value)}
            before={text.revision(revision)}
            after={text.yourText}
          />
        </Section>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onDiscard}>{text.discard(revision)}</Button>
        <Button onClick={onKeep}>{text.keep(revision)}</Button>
      </div>
    </div>
  )
}
