/**
 * What a model does, and the modality under which the model list shows it (contract: Model, `modality`).
 * The contract knows no modality of embeddings: they read text as chat does, and stand beside it.
 * The task opens the model's catalogue id: `reference-to-video.<slug>`.
 */
export const modalityOfTask = {
  chat: 'chat',
  'text-embedding': 'chat',
  'text-to-image': 'image',
  'image-to-image': 'image',
  'image-edit': 'image',
  'image-upscale': 'image',
  'image-reframe': 'image',
  'image-remix': 'image',
  'text-to-video': 'video',
  'image-to-video': 'video',
  'reference-to-video': 'video',
  'text-to-speech': 'audio',
  'text-to-music': 'audio',
  'text-to-sound': 'audio',
} as const

export type Task = keyof typeof modalityOfTask
export type Modality = (typeof modalityOfTask)[Task]

/** The contract's order: the values of the `task` filter of the model list. */
export const modalities = ['video', 'image', 'audio', 'chat'] as const satisfies readonly Modality[]
