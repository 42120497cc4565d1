import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Arg, Ctx, Field, ID, ObjectType, Resolver, Root, Subscription } from 'type-graphql'
import { type CatalogueChange, visibleChange } from '../../domain/models/catalogue-changes.ts'
import { viewerOf } from '../../domain/models/reachable-models.ts'
import { Problem } from '../../schema/errors.ts'
import { Count } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Model, presentModel } from './model.ts'

@ObjectType({ description: 'What changed in the catalogue.' })
class ModelsUpdate {
  @Field(() => Count, {
    description: 'The revision of the catalogue that it led to: `since` of a later subscription.',
  })
  revision!: bigint

  @Field(() => [Model], { description: 'The models that joined or changed, and can be called.' })
  models!: Model[]

  @Field(() => [ID], { description: 'The ids of models that can no longer be called.' })
  withdrawnModelIds!: string[]
}

/** The catalogue as it changes (docs/graph.md, Subscriptions). */
@Resolver(() => ModelsUpdate)
export class ModelSubscriptions {
  @Subscription(() => ModelsUpdate, {
    subscribe: watchModels,
    description:
      'The current revision of the catalogue, with what changed since the one that is given; then each change, without end. Models that no credential reaches are left out. They do not come later by themselves: after adding a credential, read `models`.',
  })
  async modelsUpdated(
    @Root() change: CatalogueChange,
    @Ctx() context: SubgraphContext,
    @Arg('since', () => Count, {
      nullable: true,
      description:
        'The revision that is known: what changed after it comes first. The present one unless given.',
    })
    _since?: number | null,
  ): Promise<ModelsUpdate> {
    const seen = await visibleChange(context, { change, viewer: viewerOf(context) })
    const { revision, models, withdrawnIds } = seen
    return { revision, models: models.map(presentModel), withdrawnModelIds: withdrawnIds }
  }
}

/** `resumeAfter` is the revision that a gateway was told of last, where the connection to it broke off. */
function watchModels({ args, context }: { args: { since?: number | null }; context: SubgraphContext }) {
  const { since } = args
  if (typeof since === 'number' && since < 0) {
    throw new Problem('validation_failed', { param: 'since', message: 'since must not be negative.' })
  }
  const { resumeAfter } = context
  if (resumeAfter !== undefined) return context.catalogueWatch.watch({ since: resumeAfter, isResumed: true })
  return context.catalogueWatch.watch({ since: typeof since === 'number' ? BigInt(since) : undefined })
}
