import { makeClientOf } from '@custodia/client'
import { playheadEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The call that stores the playback position; loads after the first playback. */
export const playheadApi = makeClientOf(playheadEndpoints, portalCalls)
