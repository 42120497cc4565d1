import { ArgsType, Field } from 'type-graphql'
import type { ModelFilter } from '../../domain/models/search-models.ts'
import { vendorLabels } from '../../schema/catalog/vendor.ts'
import { Problem } from '../../schema/errors.ts'
import { checkList } from '../runtime/types/check-list.ts'
import { PageArgs } from '../runtime/types/page.ts'
import { Modality } from './modality.ts'

/** Postgres reads a search word by word, one inside the other, and gives up on very long ones. */
const maxSearchLength = 200

/** Which models are wanted. Several values of one argument mean any of them; arguments combine. */
@ArgsType()
export class ModelArgs extends PageArgs {
  @Field(() => [Modality], { nullable: true })
  task?: (keyof typeof Modality)[] | null

  @Field(() => [String], { nullable: true, description: 'Vendor labels, `vendor_a` to `vendor_r`.' })
  provider?: string[] | null

  @Field(() => String, {
    nullable: true,
    description: 'Words of the name or description, whole or begun; at most 200 characters.',
  })
  search?: string | null
}

/** Reads the arguments as the verb takes them. Throws `validation_failed`, naming the argument. */
export function filterOf({ task, provider, search }: ModelArgs): ModelFilter {
  const tasks = checkList(task, 'task')
  const providers = checkList(provider, 'provider')
  const stranger = providers?.find(label => !vendorLabels.includes(label))
  if (stranger !== undefined) {
    const message = `provider must be one of ${vendorLabels.join(', ')}.`
    throw new Problem('validation_failed', { param: 'provider', message })
  }
  if (search && search.length > maxSearchLength) {
    const message = `search must have at most ${maxSearchLength} characters.`
    throw new Problem('validation_failed', { param: 'search', message })
  }
  return { tasks, providers, search: search ?? undefined }
}
