import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql'
import { permittedFields } from '../../../domain/callers/permissions.ts'
import { requireOperator } from '../../runtime/call.ts'
import type { SubgraphContext } from '../../runtime/services.ts'

@ObjectType({ description: 'An operator: a person who runs the platform. Operators have no account.' })
class Operator {
  @Field(() => String, { description: "The operator's name, as the audit log shows it." })
  name!: string

  @Field(() => [String], {
    description:
      'The fields of the graph that operators may use, for example `Mutation.creditAccount`. Other operations fail with `forbidden`.',
  })
  permittedFields!: string[]
}

/** The query with which a client checks an operator key. */
@Resolver()
export class OperatorResolver {
  @Query(() => Operator, {
    nullable: true,
    description: 'Returns the operator whose key sent the request. Requires an operator key.',
  })
  operator(@Ctx() context: SubgraphContext): Operator {
    const operator = requireOperator(context)
    return { name: operator.name, permittedFields: permittedFields({ operator }) }
  }
}
