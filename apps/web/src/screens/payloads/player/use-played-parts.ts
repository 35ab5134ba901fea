import type { Payload, PlayedPart } from '@custodia/contract'
import { HEARD_SECONDS, getSeconds } from '@custodia/domain/can'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { queryClient } from '../../../api/query-client.ts'
import { noteHeard, payloadQuery } from '../queries.ts'
import type { Playback } from './playback.ts'
import { PlayedParts } from './played-parts.ts'

const playhead = () => import('../../../api/playhead-api.ts')

/** A playback may move from the preview to the page. */
const ofPlayback = new WeakMap<Playback, PlayedParts>()
let onScreen: { payload_reference: string; played: PlayedParts } | undefined
/** The last report of the player before. */
let left: { payload_reference: string; sent: Promise<void> } | undefined

/** Sends what the user has just played, before an act that depends on it. */
export const flushPlayed = async (payload_reference: string): Promise<void> => {
  if (onScreen?.payload_reference === payload_reference) await onScreen.played.flush()
  // A mark of the list moves on to the next player.
  else if (left?.payload_reference === payload_reference) await left.sent
}

/** Reports what the playback plays, and returns all parts that the user has played. */
export function usePlayedParts(
  playback: Playback,
  { payload_reference, review }: Payload,
  mayPlay: boolean,
): readonly PlayedPart[] {
  const [played] = useState(() => {
    const found = ofPlayback.get(playback)
    if (found !== undefined) return found
    const made = new PlayedParts(playback, {
      known: review?.parts ?? [],
      send: (parts, isLeaving) => report(payload_reference, parts, isLeaving),
      now: () => performance.now() / 1000,
    })
    ofPlayback.set(playback, made)
    return made
  })
  useEffect(() => {
    if (!mayPlay) return undefined
    const entry = { payload_reference, played }
    onScreen = entry
    const leave = () => {
      if (document.visibilityState === 'hidden') void played.flush(true)
    }
    const unload = () => void played.flush(true)
    document.addEventListener('visibilitychange', leave)
    addEventListener('pagehide', unload)
    return () => {
      document.removeEventListener('visibilitychange', leave)
      removeEventListener('pagehide', unload)
      if (onScreen === entry) onScreen = undefined
      left = { payload_reference, sent: played.flush(true) }
    }
  }, [played, payload_reference, mayPlay])
  return useSyncExternalStore(played.subscribe, played.parts)
}

async function report(
  payload_reference: string,
  parts: readonly PlayedPart[],
  isLeaving: boolean,
): Promise<boolean> {
  try {
    const { playheadApi } = await playhead()
    const result = await playheadApi.reportPlay(
      { params: { payload_reference }, body: { parts: [...parts] } },
      { keepalive: isLeaving },
    )
    queryClient.setQueryData(payloadQuery(payload_reference).queryKey, (payload) =>
      payload?.review ? { ...payload, review: { ...payload.review, parts: result.parts } } : payload,
    )
    if (getSeconds(result.parts) >= Math.min(HEARD_SECONDS, result.length ?? HEARD_SECONDS))
      noteHeard(payload_reference)
    return true
  } catch {
    // The next report repeats these parts; playback goes on.
    return false
  }
}
