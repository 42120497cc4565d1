import { Type } from 'typebox'
import { open, optional } from '../wire/shapes.ts'
import type { Operation } from './operations.ts'

/** The parameters of every image model. A model's other parameters are in its `parameters`. */
const ImageRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    prompt: Type.String({ description: 'A description of the image, or of the change to the input images.' }),
    n: optional(Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'The number of images.' })),
    aspect_ratio: optional(Type.String({ description: 'The aspect ratio, for example `16:9`.' })),
    resolution: optional(Type.String({ description: 'The resolution, for example `2K`.' })),
    quality: optional(Type.String()),
    style: optional(Type.String()),
    negative_prompt: optional(Type.String()),
    image_urls: optional(
      Type.Array(Type.String(), {
        description: 'The input images: public HTTPS URLs, URLs of uploads, or `data:TYPE;base64,CONTENT`.',
      }),
    ),
    size: optional(
      Type.String({
        description:
          'The size, for example `1536x1024`. If the model has `aspect_ratio`, its value closest to this size is used.',
      }),
    ),
    response_format: optional(Type.Enum(['url', 'b64_json'])),
    user: optional(Type.String({ maxLength: 512 })),
  },
  {
    ...open,
    description:
      'A model can have other parameters. Its `parameters` list them with their allowed values: `GET /api/v1/models/{model_id}`.',
  },
)

export const imageOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/images/generations',
    name: 'createImage',
    tag: 'Images',
    summary: 'Generates images from text or from other images. Only returned images are charged.',
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
    summary: 'Edits images. The body can be JSON or the form that OpenAI clients send.',
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
