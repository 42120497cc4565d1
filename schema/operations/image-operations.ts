import { Type } from 'typebox'
import { open, optional } from '../wire/shapes.ts'
import type { Operation } from './operations.ts'

/** What every image model takes; what else it takes is in its own `parameters`. */
const ImageRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    prompt: Type.String({ description: 'What to make, or what to change.' }),
    n: optional(Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'How many images.' })),
    aspect_ratio: optional(Type.String({ description: 'As `16:9`.' })),
    resolution: optional(Type.String({ description: 'As `2K`.' })),
    quality: optional(Type.String()),
    style: optional(Type.String()),
    negative_prompt: optional(Type.String()),
    image_urls: optional(
      Type.Array(Type.String(), {
        description: 'Public https addresses, addresses of uploads, or data:TYPE;base64,CONTENT.',
      }),
    ),
    size: optional(Type.String({ description: '`1536x1024`: the `aspect_ratio` that comes closest.' })),
    response_format: optional(Type.Enum(['url', 'b64_json'])),
    user: optional(Type.String({ maxLength: 512 })),
  },
  {
    ...open,
    description:
      'What else a model takes, and which values, is in its `parameters`: `GET /api/v1/models/{model_id}`.',
  },
)

export const imageOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/images/generations',
    name: 'createImage',
    tag: 'Images',
    summary: 'Images from a text, or from other images; charged for what comes back.',
    request: ImageRequest,
    answer: 'Images',
    example: { model: 'vendor_f/canvas', prompt: 'A cat in a paper boat', aspect_ratio: '16:9' },
    tasks: ['text-to-image'],
  },
  {
    method: 'POST',
    path: '/v1/images/edits',
    name: 'editImage',
    tag: 'Images',
    summary: 'The same, also as the form that OpenAI clients send.',
    request: ImageRequest,
    otherBodies: ['multipart/form-data'],
    formFile: 'image',
    answer: 'Images',
    example: {
      model: 'vendor_g/fresco-edit',
      prompt: 'A hat for the cat',
      image_urls: [
        'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      ],
    },
    tasks: ['image-edit', 'image-to-image'],
  },
]
