import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal'
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition'
import { buildASTSchema, introspectionFromSchema, parse } from 'graphql'

// Part of `npm run typecheck`: writes the types of the graph, from which the types of every document follow. The file is
// derived from schema/graph/supergraph.graphql and is not committed.

const supergraph = readFileSync(new URL('../../schema/graph/supergraph.graphql', import.meta.url), 'utf8')
const schema = buildASTSchema(transformSupergraphToPublicSchema(parse(supergraph)), { assumeValidSDL: true })
const introspection = minifyIntrospection(introspectionFromSchema(schema, { descriptions: false }))
const text = outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true })
// `documents.ts` configures gql.tada, so the file must not.
const types = text.slice(0, text.indexOf("import * as gqlTada from 'gql.tada'"))

const file = new URL('../graph/introspection.d.ts', import.meta.url)
if (!existsSync(file) || readFileSync(file, 'utf8') !== types) writeFileSync(file, types)
