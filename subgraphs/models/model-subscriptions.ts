import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Arg, Ctx, Field, ID, ObjectType, Resolver, Root, Subscription } from 'type-graphql'
import { type CatalogueChange, visibleChange } from '../../domain/models/catalogue-changes.ts'
import { viewerOf } from '../../domain/models/reachable-models.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { Count } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Model, presentModel } from './model.ts'

@ObjectType({ description: 'A change of the catalogue.' })
class ModelsUpdate {
  @Field(() => Count, {
    description: "The catalogue's revision after the change. Pass it as `since` to a later subscription.",
  })
  revision!: bigint

  @Field(() => [Model], { description: 'The active models that were added or changed.' })
  models!: Model[]

  @Field(() => [ID], { description: 'The catalogue IDs of models that requests can no longer use.' })
  withdrawnModelIds!: string[]
}

/** The subscription to the catalogue (docs/graph.md, Subscriptions). */
@Resolver(() => ModelsUpdate)
export class ModelSubscriptions {
  @Subscription(() => ModelsUpdate, {
    subscribe: watchModels,
    description:
      "Sends the catalogue's current revision with the changes after revision `since`, then each change. The stream does not end. Models whose vendor has no usable credential are left out. Adding a credential sends no event: read `models` after adding one.",
  })
  async modelsUpdated(
    @Root() change: CatalogueChange,
    @Ctx() context: SubgraphContext,
    @Arg('since', () => Count, {
      nullable: true,
      description:
        'The last revision that the client has. Later changes are sent first. Defaults to the current revision.',
    })
    _since?: number | null,
  ): Promise<ModelsUpdate> {
    const seen = await visibleChange(context, { change, viewer: viewerOf(context) })
    const { revision, models, withdrawnIds } = seen
    return { revision, models: models.map(presentModel), withdrawnModelIds: withdrawnIds }
  }
}

/**
 * Starts the subscription. `resumeAfter` is the last revision that the gateway received before its connection to this
 * process broke.
 */
function watchModels({ args, context }: { args: { since?: number | null }; context: SubgraphContext }) {
  const { since } = args
  if (typeof since === 'number' && since < 0) {
    refuseParam('since', 'must not be negative')
  }
  const { resumeAfter } = context
  if (resumeAfter !== undefined) return context.catalogueWatch.watch({ since: resumeAfter, isResumed: true })
  return context.catalogueWatch.watch({ since: typeof since === 'number' ? BigInt(since) : undefined })
}
