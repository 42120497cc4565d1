import { Field, ID, Int, ObjectType } from 'type-graphql'

@ObjectType({ description: 'One try to have a request answered.' })
export class RequestAttempt {
  @Field(() => ID, {
    nullable: true,
    description: "The own credential that was used; null is the platform's.",
  })
  credentialId!: string | null

  @Field(() => String)
  model!: string

  @Field(() => Int, { description: 'Milliseconds until it had ended.' })
  durationMs!: number

  @Field(() => Int, {
    nullable: true,
    description: "The vendor's HTTP status; null where it did not answer.",
  })
  status!: number | null

  @Field(() => String, { nullable: true, description: 'Why it failed; null where it succeeded.' })
  error!: string | null
}
