/** The tabs that a first visit shows: something to read, to change and to watch. */
const firstTabs = [
  {
    query: `# Press the play button to send this.
query Balance {
  viewer {
    user { email }
    account {
      name
      balance { credits held available }
    }
  }
}
`,
  },
  {
    query: `# The fields of the new key are under Variables.
mutation CreateKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    key
    apiKey { id name creditLimit }
  }
}
`,
    variables: `{ "input": { "name": "Explorer", "creditLimit": "5" } }`,
  },
  {
    query: `# Stays open: send a chat meanwhile.
subscription BalanceChanged {
  balanceChanged { credits held available }
}
`,
  },
]

/**
 * The script of the explorer's page that starts GraphiQL. It runs in the browser after the session's script, whose
 * `fetch` adds the token. Subscriptions arrive as server-sent events. GraphiQL adds an empty tab on each visit unless
 * it is given the query of a tab that exists: the one of the address, of the tab that was open last, or of the first.
 * Headers are never stored, because they may carry a credential: GraphiQL would keep them with its history.
 */
export const startScript = /* JavaScript */ `
(() => {
  const url = window.location.pathname
  const request = GraphiQL.createFetcher({ url })
  const isSubscription = ({ operationName }, { documentAST } = {}) =>
    (documentAST?.definitions ?? []).some(({ kind, operation, name }) =>
      kind === 'OperationDefinition' && operation === 'subscription' && (!operationName || name?.value === operationName))
  const fetcher = (operation, options) =>
    isSubscription(operation, options)
      ? graphqlSse.createClient({ url, headers: options.headers, retryAttempts: 0 }).iterate(operation)
      : request(operation, options)

  const openTab = () => {
    try {
      const { tabs, activeTabIndex } = JSON.parse(window.localStorage.getItem('graphiql:tabState'))
      return tabs[activeTabIndex]
    } catch {
      return undefined
    }
  }
  const firstTabs = ${JSON.stringify(firstTabs)}
  const address = new URLSearchParams(window.location.search)
  const named = address.has('query')
    ? { query: address.get('query'), variables: address.get('variables') ?? undefined }
    : undefined
  const { query, variables } = named ?? openTab() ?? firstTabs[0]

  const store = window.localStorage
  const withoutHeaders = text => JSON.stringify(JSON.parse(text), (key, value) => (key === 'headers' ? undefined : value))
  const storage = {
    get length() { return store.length },
    getItem: name => store.getItem(name),
    removeItem: name => store.removeItem(name),
    clear: () => store.clear(),
    setItem: (name, value) =>
      store.setItem(name, /:(queries|favorites)$/.test(name) ? withoutHeaders(value) : value),
  }

  const shown = React.createElement(GraphiQL, {
    fetcher,
    query,
    variables,
    defaultTabs: named ? [named] : firstTabs,
    storage,
    shouldPersistHeaders: false,
  })
  ReactDOM.createRoot(document.querySelector('#root')).render(shown)
})()
`
