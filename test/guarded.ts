import { guardPrototypes } from '../platform/process/guard-prototypes.ts'

// What holds in every process of ours holds in the processes of the tests, which run much of it in themselves.
guardPrototypes()
