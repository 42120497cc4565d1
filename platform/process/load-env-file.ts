import { existsSync } from 'node:fs'

/** Adds what `.env` in the working folder sets to the environment, which goes before it. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
