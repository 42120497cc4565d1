import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

const deploy = new URL('../../deploy/', import.meta.url)

/** A metric in a query, with the names of the labels that its selector compares. */
export interface Selector {
  metric: string
  labels: string[]
}

/** A query of the dashboard or of an alert, with its name. */
export interface Query {
  name: string
  expression: string
}

/** An alert rule. */
interface Alert {
  alert: string
  expr: string
}

/** Returns the alert rules of deploy/prometheus/alerts.yaml. */
export function readAlerts(): Query[] {
  const { groups }: { groups: { rules: Alert[] }[] } = parse(
    readFileSync(new URL('prometheus/alerts.yaml', deploy), 'utf8'),
  )
  return groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ name: alert, expression: expr })))
}

interface Panel {
  title: string
  targets?: { expr: string }[]
}

/** Returns the queries of deploy/grafana/dashboard.json, including the queries of its variables. */
export function readDashboard(): Query[] {
  const dashboard: { panels: Panel[]; templating: { list: { name: string; definition?: string }[] } } =
    JSON.parse(readFileSync(new URL('grafana/dashboard.json', deploy), 'utf8'))
  const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ name: title, expression: expr })),
  )
  const variables = dashboard.templating.list.flatMap(({ name, definition }) =>
    definition ? [{ name, expression: definition }] : [],
  )
  return [...queries, ...variables]
}

/** Words of PromQL that are no metrics: they end with a bracket or are operators. */
const operators = new Set(['by', 'without', 'and', 'or', 'unless', 'on', 'ignoring', 'offset', 'bool'])

/** Returns the metrics of a PromQL expression, or of Grafana's `label_values(METRIC, LABEL)`. */
export function selectorsIn(expression: string): Selector[] {
  const plain = expression
    .replace(/label_values\((\w+), (\w+)\)/, '$1{$2=""}')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '')
  const words = plain.matchAll(/([a-zA-Z_:][\w:]*)\s*(\(|\{([^}]*)\})?/g)
  return Array.from(words, ([, metric = '', after = '', selector = '']) => ({ metric, after, selector }))
    .filter(({ metric, after }) => after !== '(' && !operators.has(metric))
    .map(({ metric, selector }) => ({
      metric,
      labels: Array.from(selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g), ([, label = '']) => label),
    }))
}
