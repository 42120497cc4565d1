import { useQuery } from 'urql'
import { graphql } from '../graph/documents.ts'

const document = graphql(`
  query Viewer {
    viewer {
      user { id email emailConfirmedAt }
      role
      account { id name }
      permittedFields
    }
    signInStatus { lacksSecondFactor }
  }
`)

/** The session's user and account, and the function that reads them again. */
export function useViewerQuery() {
  return useQuery({ query: document })
}

/** The user and the account of the session. */
export function useViewer() {
  return useViewerQuery()[0].data?.viewer
}
