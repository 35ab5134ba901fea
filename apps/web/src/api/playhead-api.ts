import { makeClientOf } from '@custodia/client'
import { playEndpoints, playheadEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls that report playback; they load after the first playback. */
export const playheadApi = makeClientOf({ ...playheadEndpoints, ...playEndpoints }, portalCalls)
