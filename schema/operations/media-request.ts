import { type TSchema, Type } from 'typebox'
import { open, optional } from '../wire/shapes.ts'

/** Returns the shape of a submit. The model's own fields are in its `parameters`. */
export const mediaRequest = (fields: Record<string, TSchema>) =>
  Type.Object(
    {
      model: Type.String({ minLength: 1 }),
      ...fields,
      callback_url: optional(
        Type.String({
          maxLength: 2_048,
          description: 'A public HTTPS URL that is called when the task has ended.',
        }),
      ),
    },
    {
      ...open,
      description:
        'A model can have other parameters. Its `parameters` list them with their limits: `GET /api/v1/models/{model_id}`.',
    },
  )
