import { makeClientOf } from '@custodia/client'
import { playheadEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The call with which a player keeps where its reader stopped, which loads when somebody has listened. */
export const playheadApi = makeClientOf(playheadEndpoints, portalCalls)
