import type { Origin } from '../../domain/models/model-records.ts'
import { graphEnum } from '../runtime/enums.ts'

export const ModelOrigin = graphEnum<Origin>('ModelOrigin', {
  description: "The source of a model's current entry.",
  values: {
    files: 'The catalogue files. The next files that are applied can change the entry.',
    graph:
      'An operator, through the graph. Applied files do not change the entry until they contain the same values.',
  },
})
