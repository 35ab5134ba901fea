import { playEndpoints, playheadEndpoints } from '@custodia/contract'
import { portalClient } from './api.ts'

/** The calls that report playback; they load after the first playback. */
export const playheadApi = portalClient(
  { ...playheadEndpoints, ...playEndpoints },
  {
    // The page already shows the answer of the call.
    savePlayhead: [],
    reportPlay: [],
  },
)
