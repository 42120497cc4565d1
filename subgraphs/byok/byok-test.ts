import { Field, Int, ObjectType } from 'type-graphql'

@ObjectType({ description: 'How a credential did when it was tried.' })
export class ByokTest {
  @Field(() => Boolean)
  ok!: boolean

  @Field(() => Int, {
    nullable: true,
    description: "The vendor's HTTP status; null where it did not answer.",
  })
  status!: number | null

  @Field(() => String, { description: "Who answered, or the vendor's words." })
  message!: string

  @Field(() => Int)
  latencyMs!: number
}
