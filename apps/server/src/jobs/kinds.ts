import { purgeSessions } from '../sessions/jobs.ts'
import type { JobKind } from './kind.ts'

/** Every kind of job that workers run. */
export const JOB_KINDS: readonly JobKind<unknown>[] = [purgeSessions]
