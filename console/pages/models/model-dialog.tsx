import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useQuery } from 'urql'
import { Prices } from '../../prices/prices.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { CopyText } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Badge, Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Details, Time } from '../../ui/values.tsx'
import { Calculator } from './calculator.tsx'
import { type ModelDetail, modelDocument } from './documents.ts'
import { messages } from './messages.ts'
import { Parameters } from './parameters.tsx'

/** The panel of one model. It is read again when the catalogue has another revision. */
export function ModelDialog({
  id,
  revision,
  onClose,
}: {
  id: string
  revision: number | undefined
  onClose(): void
}) {
  const text = useText(messages)
  const query = useQuery({ query: modelDocument, variables: { id } })
  const [{ data }, read] = query
  useEffect(() => {
    if (revision !== undefined) read({ requestPolicy: 'network-only' })
  }, [revision, read])
  return (
    <Dialog side title={data?.model?.name ?? text.model} onClose={onClose}>
      <Loaded query={query} select={found => found.model} lines={10} missing={text.missing}>
        {model => <Detail model={model} revision={revision} />}
      </Loaded>
    </Dialog>
  )
}

function Detail({ model, revision }: { model: ModelDetail; revision: number | undefined }) {
  const text = useText(messages)
  const format = useFormat()
  const {
    inferenceId,
    aliases,
    description,
    modality,
    inputs,
    contextTokens,
    maxOutputTokens,
    tags,
    pricing,
  } = model
  const tokens = (count: number | null) => count !== null && text.tokens(format.number(count))
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-2">
        <CopyText value={inferenceId} />
        <p>{description}</p>
        <div className="flex flex-wrap gap-1">
          <Badge>{text.tasks[modality]}</Badge>
          {tags.map(tag => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </div>
        {maxOutputTokens !== null && (
          <p>
            <Link to="/playground" search={{ model: inferenceId }} className="underline">
              {text.tryIt}
            </Link>
          </p>
        )}
      </div>
      <Details
        rows={[
          [text.vendor, model.provider.toLowerCase()],
          [text.takes, inputs.map(name => text.inputs[name]).join(', ')],
          [text.context, tokens(contextTokens)],
          [text.maxOutput, tokens(maxOutputTokens)],
          [text.aliases, aliases.length > 0 && <span className="wrap-anywhere">{aliases.join(', ')}</span>],
          [text.changedAt, pricing && <Time value={pricing.updatedAt} />],
        ]}
      />
      {pricing && (
        <>
          <Prices pricing={pricing} />
          <Section title={text.calculator}>
            <Calculator model={model} pricing={pricing} revision={revision} />
          </Section>
        </>
      )}
      <Parameters schema={model.parameters} />
    </div>
  )
}
