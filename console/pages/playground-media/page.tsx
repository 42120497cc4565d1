import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Modality, type Model, useModel, useModels } from '../../inference/models.ts'
import { PlaygroundTabs } from '../../inference/playground-tabs.tsx'
import { useText } from '../../text/language.ts'
import { randomId } from '../../text/random-id.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { generate } from './generate.ts'
import { type ImageRequest, Images } from './images.tsx'
import { messages } from './messages.ts'
import { RequestForm } from './request-form.tsx'
import type { MediaKind } from './route.ts'
import { TaskCards } from './task-cards.tsx'

const route = getRouteApi('/account/playground/$kind')

const modalities: Record<MediaKind, Modality> = { images: 'IMAGE', videos: 'VIDEO', audio: 'AUDIO' }

export default function PlaygroundMediaPage() {
  const { kind } = route.useParams()
  return <MediaPage key={kind} kind={kind} />
}

function MediaPage({ kind }: { kind: MediaKind }) {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const { model: named } = route.useSearch()
  const models = useModels(modalities[kind])
  const chosen = named ?? models.models?.[0]?.inferenceId
  const model = useModel(chosen)
  const { images, generateImages } = useImages()
  const submit = async (of: Model, parameters: Record<string, unknown>) => {
    if (kind === 'images') return generateImages(of, parameters)
    await generate(kind, of, parameters)
    notify(text.submitted)
  }
  return (
    <Page title={text.titles[kind]} intro={text.intro}>
      <PlaygroundTabs />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <RequestForm
          kind={kind}
          models={models}
          model={model}
          chosen={chosen}
          onChoose={id => void navigate({ search: { model: id }, replace: true })}
          onSubmit={submit}
        />
        <Panel
          title={text.results}
          actions={
            kind !== 'images' && (
              <Link to="/tasks" className="text-sm underline">
                {text.allTasks}
              </Link>
            )
          }
        >
          {kind !== 'images' && <TaskCards kind={kind} />}
          {kind === 'images' && images.length > 0 && <Images requests={images} />}
          {kind === 'images' && images.length === 0 && (
            <EmptyState icon="image" title={text.emptyTitle}>
              {text.empty.images}
            </EmptyState>
          )}
        </Panel>
      </div>
    </Page>
  )
}

/** The requests for images that this page has sent, the newest first. */
function useImages() {
  const [images, setImages] = useState<readonly ImageRequest[]>([])
  const generateImages = async (model: Model, parameters: Record<string, unknown>) => {
    const { prompt } = parameters
    const begun: ImageRequest = {
      id: randomId(),
      model: model.inferenceId,
      prompt: typeof prompt === 'string' ? prompt : '',
      urls: undefined,
      requestId: undefined,
      error: undefined,
    }
    setImages(all => [begun, ...all])
    const change = (changes: Partial<ImageRequest>) =>
      setImages(all => all.map(one => (one.id === begun.id ? { ...one, ...changes } : one)))
    try {
      const { answer, requestId } = await generate('images', model, parameters)
      change({ urls: (answer.data ?? []).map(({ url }) => url), requestId })
    } catch (error) {
      change({ error })
      throw error
    }
  }
  return { images, generateImages }
}
