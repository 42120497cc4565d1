import { Field, InputType, ObjectType } from 'type-graphql'
import { DateTime } from '../runtime/types/date-time.ts'
import { Account } from './account.ts'

@ObjectType({ description: 'What a log-in yields.' })
export class Session {
  @Field(() => String, { description: 'Sent as `Authorization: Bearer …`.' })
  accessToken!: string

  @Field(() => DateTime, { description: 'When the access token ends.' })
  expiresAt!: Date

  @Field(() => String, { description: 'Good for one refresh; using it twice ends the session.' })
  refreshToken!: string

  @Field(() => Account)
  account!: Account
}

@InputType()
export class SignUpInput {
  @Field(() => String)
  email!: string

  @Field(() => String, { description: '8 to 200 characters.' })
  password!: string

  @Field(() => String, {
    nullable: true,
    description: 'What the account is called; the e-mail unless given.',
  })
  name?: string | null
}

@InputType()
export class LogInInput {
  @Field(() => String)
  email!: string

  @Field(() => String)
  password!: string
}

@InputType()
export class RefreshSessionInput {
  @Field(() => String)
  refreshToken!: string
}
