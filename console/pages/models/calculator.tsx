import { type ChangeEvent, useEffect, useState } from 'react'
import { useQuery } from 'urql'
import { type Faults, faultsOf } from '../../graph/faults.ts'
import type { Pricing } from '../../prices/documents.ts'
import { timesMoney } from '../../text/decimal.ts'
import { useFormat, useText } from '../../text/language.ts'
import { CostTerms } from '../../ui/cost-terms.tsx'
import { FormFault, SelectField, TextField } from '../../ui/field.tsx'
import { type ModelDetail, quoteDocument } from './documents.ts'
import { messages } from './messages.ts'
import { fieldsOf, firstValues, type QuoteField, quoteInput } from './quote.ts'

/** How long the reader pauses before the price is calculated, in milliseconds. */
const pauseMs = 250

/** Calculates the price of a request that the reader describes. The service calculates it, as it does for a charge. */
export function Calculator({
  model,
  pricing,
  revision,
}: {
  model: ModelDetail
  pricing: Pricing
  revision: number | undefined
}) {
  const text = useText(messages)
  const format = useFormat()
  const fields = fieldsOf(model, pricing)
  const [values, setValues] = useState(() => firstValues(fields))
  const [requests, setRequests] = useState('1')
  const asked = usePause(values)
  const input = quoteInput(model, fields, asked)
  const [{ data, error }, calculate] = useQuery({
    query: quoteDocument,
    variables: { input: input ?? { model: model.id } },
    pause: input === undefined,
    requestPolicy: 'network-only',
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision can have other prices
  useEffect(() => {
    if (input !== undefined) calculate()
  }, [revision])
  const faults = error && faultsOf(error)
  const quote = error || input === undefined ? undefined : data?.priceQuote
  const count = /^[1-9]\d{0,11}$/.test(requests) ? BigInt(requests) : 1n
  return (
    <div className="flex flex-col gap-4 rounded-lg border border-line p-4">
      <p className="text-sm text-muted">{text.calculatorText}</p>
      <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-2">
        {fields.map(field => (
          <ValueField
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            faults={faults}
            onChange={value => setValues(before => ({ ...before, [field.name]: value }))}
          />
        ))}
        <TextField
          label={text.requests}
          name="requests"
          type="number"
          min={1}
          value={requests}
          onChange={event => setRequests(event.target.value)}
        />
      </div>
      <FormFault faults={faults} names={fields.map(({ param }) => param)} />
      {input === undefined && <p className="text-sm text-muted">{text.incomplete}</p>}
      {quote && (
        <div aria-live="polite" className="flex flex-col gap-2">
          <CostTerms
            caption={text.calculator}
            terms={quote.costTerms}
            sum={quote.cost}
            sumLabel={text.total}
          />
          {count > 1n && (
            <p className="flex justify-between gap-4 px-3 font-semibold">
              <span>{text.totalOf(format.number(Number(count)))}</span>
              <span>{format.money(timesMoney(quote.cost, count))}</span>
            </p>
          )}
        </div>
      )}
    </div>
  )
}

function ValueField({
  field: { param, label, kind, options, name },
  value,
  faults,
  onChange,
}: {
  field: QuoteField
  value: string
  faults: Faults | undefined
  onChange(value: string): void
}) {
  const text = useText(messages)
  const shown = label ? text[label] : kind === 'items' ? text.count(name) : name
  const change = (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => onChange(event.target.value)
  if (options)
    return (
      <SelectField
        label={shown}
        name={param}
        value={value}
        options={options.map(option => [option, option === '' ? text.standard : option])}
        onChange={change}
        faults={faults}
      />
    )
  return (
    <TextField
      label={shown}
      name={param}
      value={value}
      onChange={change}
      faults={faults}
      {...(kind === 'text' ? { type: 'text' } : { type: 'number', min: 0 })}
    />
  )
}

/** Returns a value once it has not changed for a moment. */
function usePause<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
