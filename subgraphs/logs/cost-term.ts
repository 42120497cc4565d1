import { Directive, Field, ObjectType } from 'type-graphql'
import { Count } from '../runtime/scalars.ts'

@ObjectType({
  description:
    "One item of a request's cost. Rates and amounts are exact decimal text in US dollars. The cost is the sum of the amounts, rounded up to nine decimal places.",
})
@Directive('@shareable')
export class CostTerm {
  @Field(() => String, {
    description:
      'The billed item, for example `input` or `cache read`. If prices depend on the time, the first item names the period whose prices apply.',
  })
  label!: string

  @Field(() => Count, { description: 'The number of units.' })
  quantity!: number

  @Field(() => String, {
    description:
      'The unit, for example `token`, `second` or `image`. The unit `period` has an amount of zero.',
  })
  unit!: string

  @Field(() => String, {
    description: 'The price of one unit, in US dollars. It can have more than nine decimal places.',
  })
  rate!: string

  @Field(() => String, { description: 'The amount, in US dollars: `quantity` times `rate`.' })
  amount!: string
}
