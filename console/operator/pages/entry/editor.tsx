import { useRef, useState } from 'react'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { AreaField } from '../../../ui/field.tsx'
import { type Base, Conflict } from './conflict.tsx'
import { DifferenceTable } from './difference-table.tsx'
import { differencesOf } from './differences.ts'
import { messages } from './messages.ts'
import type { Place } from './places.ts'
import { type Fault, usePublishing } from './use-publishing.ts'

/** Edits an entry as JSON, and publishes it after the operator has read what changes. */
export function Editor({
  base,
  modelId,
  firstText,
  onRebase = () => {},
}: {
  /** The published version on which the text is based; `undefined` for a new model. */
  base: Base | undefined
  modelId?: string
  firstText: string
  onRebase?(base: Base): void
}) {
  const text = useText(messages)
  const area = useRef<HTMLDivElement>(null)
  const [entered, setEntered] = useState(firstText)
  const publishing = usePublishing({ base, modelId, entered, onPublished: onRebase })
  const { current, entry } = publishing
  return (
    <div className="flex flex-col gap-4 p-5" ref={area}>
      <AreaField
        label={text.json}
        hint={text.jsonHint}
        name="entry"
        spellCheck={false}
        autoComplete="off"
        wrap="off"
        value={entered}
        onChange={event => setEntered(event.target.value)}
        className="font-mono"
        style={{ minHeight: '20rem', maxHeight: '70vh' }}
      />
      {current ? (
        <Conflict
          base={publishing.compared}
          current={current}
          entered={entered}
          onKeep={() => publishing.keepOver(current)}
          onDiscard={() => onRebase(current)}
        />
      ) : (
        <FaultList
          general={publishing.general}
          faults={publishing.faults}
          onChoose={place => select(area.current?.querySelector('textarea'), place)}
        />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={entered === firstText} onClick={() => setEntered(firstText)}>
          {text.undo}
        </Button>
        <Button kind="primary" onClick={publishing.ask}>
          {text.publish}
        </Button>
      </div>
      {entry && (
        <ConfirmDialog
          title={text.publishTitle}
          action={text.publishNow}
          kind="primary"
          run={() => publishing.publish(entry)}
          onClose={publishing.cancel}
        >
          <p>{text.publishText}</p>
          {publishing.compared && (
            <DifferenceTable
              caption={text.changes}
              differences={differencesOf(publishing.compared.declaration, entry)}
              before={text.before}
              after={text.after}
            />
          )}
        </ConfirmDialog>
      )}
    </div>
  )
}

/** The faults of the text. Choosing one selects its line. */
function FaultList({
  general,
  faults,
  onChoose,
}: {
  general: string | undefined
  faults: readonly Fault[]
  onChoose(place: Place): void
}) {
  const text = useText(messages)
  const hasFaults = general !== undefined || faults.length > 0
  return (
    <div role="alert">
      {hasFaults && (
        <ul className="flex flex-col gap-2 rounded-md bg-danger-soft px-3 py-2 text-sm text-danger">
          {general !== undefined && <li>{general}</li>}
          {faults.map(({ path, message, place }) => (
            <li key={`${path} ${message}`} className="break-words">
              {place ? (
                <button type="button" className="text-left underline" onClick={() => onChoose(place)}>
                  <span className="font-mono">{path}</span> ({text.line(String(place.line))})
                </button>
              ) : (
                path
              )}
              : {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Selects the line of a place, and scrolls it into view. */
function select(area: HTMLTextAreaElement | null | undefined, { at }: Place): void {
  if (!area) return
  const end = area.value.indexOf('\n', at)
  area.focus()
  area.setSelectionRange(at, end === -1 ? area.value.length : end)
}
