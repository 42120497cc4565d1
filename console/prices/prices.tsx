import type { ReactNode } from 'react'
import { useFormat, useText } from '../text/language.ts'
import { priceNames } from '../text/price-names.ts'
import { Section } from '../ui/page.tsx'
import type { Pricing, Rate } from './documents.ts'
import { messages } from './messages.ts'

/** Every price of a model: rates, surcharges, periods, service tiers, and the prices at other vendors. */
export function Prices({ pricing }: { pricing: Pricing }) {
  const text = useText(messages)
  const format = useFormat()
  const { rates, periods, surcharges, serviceTiers, discount, cache, routes } = pricing
  return (
    <>
      <Section title={text.prices}>
        <Rates caption={text.prices} rates={rates} />
        {discount && <Note>{text.discount(format.number(discount.percent))}</Note>}
        {cache && <Note>{text.minimumCache(format.number(cache.minimumTokens))}</Note>}
      </Section>
      {surcharges.length > 0 && (
        <Section title={text.surcharges}>
          <Rates caption={text.surcharges} rates={surcharges} />
        </Section>
      )}
      {periods.length > 0 && (
        <Section title={text.periods}>
          {periods.map(({ from, until, hours, rates: ofPeriod }) => {
            const name =
              [
                from !== null && text.fromDay(from),
                until !== null && text.untilDay(until),
                hours && text.hours(hours.join(', ')),
              ]
                .filter(Boolean)
                .join(', ') || text.always
            return (
              <div key={name} className="flex flex-col gap-1">
                <p className="text-sm font-medium">{name}</p>
                <Rates caption={name} rates={ofPeriod} />
              </div>
            )
          })}
        </Section>
      )}
      {serviceTiers.length > 0 && (
        <Section title={text.tiers}>
          <Note>{text.tiersText}</Note>
          <ul className="flex flex-wrap gap-x-6 gap-y-1">
            {serviceTiers.map(({ tier, percent }) => (
              <li key={tier}>
                <code className="font-mono text-sm">{tier}</code> {format.percent(percent / 100)}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {routes.length > 0 && (
        <Section title={text.routes}>
          <Note>{text.routesText}</Note>
          {routes.map(({ vendor, rates: ofRoute }) => (
            <div key={vendor} className="flex flex-col gap-1">
              <p className="text-sm font-medium">{vendor.toLowerCase()}</p>
              <Rates caption={vendor.toLowerCase()} rates={ofRoute} />
            </div>
          ))}
        </Section>
      )}
    </>
  )
}

function Note({ children }: { children: ReactNode }) {
  return <p className="text-sm text-muted">{children}</p>
}

/** Prices with their conditions: parameter values, or the length of the prompt. */
function Rates({ caption, rates }: { caption: string; rates: readonly Rate[] }) {
  const text = useText(messages)
  const format = useFormat()
  const names = useText(priceNames)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-left text-sm text-muted">
            <th scope="col" className="px-3 py-2 font-medium">
              {text.item}
            </th>
            <th scope="col" className="px-3 py-2 font-medium">
              {text.condition}
            </th>
            <th scope="col" className="px-3 py-2 text-right font-medium">
              {text.price}
            </th>
          </tr>
        </thead>
        <tbody>
          {rates.map(rate => {
            const condition = conditionOf(rate, count => text.above(format.number(count)))
            return (
              <tr key={`${rate.of} ${condition}`} className="border-b border-line last:border-0">
                <th scope="row" className="px-3 py-2 text-left font-normal">
                  {names.items[rate.of] ?? rate.of}
                </th>
                <td className="px-3 py-2 text-sm text-muted">{condition || text.always}</td>
                <td className="px-3 py-2 text-right">
                  {format.money(rate.price)}{' '}
                  <span className="text-sm whitespace-nowrap text-muted">{names.per(rate.unit)}</span>
                  {rate.listPrice !== rate.price && (
                    <span className="block text-xs text-muted">
                      {text.listPrice(format.money(rate.listPrice))}
                    </span>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** The condition of a price as text, empty if it always applies. */
function conditionOf({ when, abovePromptTokens }: Rate, above: (count: number) => string): string {
  const parts = typeof when === 'object' && when !== null ? Object.entries(when) : []
  return [
    ...parts.map(([name, values]) => `${name} = ${[values].flat().join(' / ')}`),
    ...(abovePromptTokens === null ? [] : [above(abovePromptTokens)]),
  ].join(', ')
}
