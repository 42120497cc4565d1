import { useEffect, useState } from 'react'
import { type Client, type CombinedError, useClient, useQuery } from 'urql'
import { graphql, type ResultOf } from '../graph/documents.ts'

const modelsDocument = graphql(`
  query PlaygroundModels($modality: Modality!, $after: String) {
    models(first: 100, after: $after, filter: { modalities: [$modality] }) {
      nodes { id inferenceId name provider }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

const modelDocument = graphql(`
  query PlaygroundModel($id: ID!) {
    model(id: $id) {
      id
      inferenceId
      name
      description
      modality
      parameters
      pricing { pricedParameters }
    }
  }
`)

export type ModelName = NonNullable<ResultOf<typeof modelsDocument>['models']>['nodes'][number]
export type Model = NonNullable<ResultOf<typeof modelDocument>['model']>
export type Modality = Model['modality']

/** Models of embeddings are of the modality of chat, but answer nothing. */
const embeddings = 'text-embedding.'

/** The models of a modality that the account can call; undefined while they are loading. */
export interface Models {
  models: readonly ModelName[] | undefined
  /** Why they could not be loaded. */
  error: CombinedError | undefined
  retry(): void
}

/** Reads all models of a modality, page by page. */
export function useModels(modality: Modality): Models {
  const client = useClient()
  const [{ models, error }, setResult] = useState<Pick<Models, 'models' | 'error'>>(nothing)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try reads again
  useEffect(() => {
    let isCurrent = true
    setResult(nothing)
    readModels(client, modality).then(
      found => isCurrent && setResult({ models: found, error: undefined }),
      failure => isCurrent && setResult({ models: undefined, error: failure }),
    )
    return () => {
      isCurrent = false
    }
  }, [client, modality, tries])
  return { models, error, retry: () => setTries(count => count + 1) }
}

const nothing = { models: undefined, error: undefined }

/** Throws the error of a page that cannot be read. */
async function readModels(client: Client, modality: Modality): Promise<ModelName[]> {
  const found: ModelName[] = []
  for (let after: string | null = null; ; ) {
    const { data, error } = await client.query(modelsDocument, { modality, after }).toPromise()
    const page: NonNullable<typeof data>['models'] = data?.models ?? null
    if (!page) throw error
    found.push(...page.nodes.filter(({ id }) => !id.startsWith(embeddings)))
    after = page.pageInfo.endCursor
    if (!page.pageInfo.hasNextPage) return found
  }
}

/** Reads one model with its parameters and prices, by its ID in requests. */
export function useModel(id: string | undefined) {
  const [{ data }] = useQuery({ query: modelDocument, variables: { id: id ?? '' }, pause: id === undefined })
  return data?.model ?? undefined
}
