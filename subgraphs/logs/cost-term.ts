import { Field, ObjectType } from 'type-graphql'
import { Count } from '../runtime/types/count.ts'

@ObjectType({
  description: 'One term of a cost; the terms add up to it. Amounts are exact dollars, as text.',
})
export class CostTerm {
  @Field(() => String, { description: 'What was counted, e.g. `input` or `cache read`.' })
  label!: string

  @Field(() => Count)
  quantity!: number

  @Field(() => String)
  unit!: string

  @Field(() => String, { description: 'Dollars per unit; finer than `Dollars` can say.' })
  rate!: string

  @Field(() => String, { description: 'Dollars: quantity times rate.' })
  amount!: string
}
