import type { Payload } from '@custodia/contract'
import { useEffect, useState } from 'react'
import { queryClient } from '../../../api/query-client.ts'
import { useMay } from '../../../api/use-profile.ts'
import { payloadQuery } from '../queries.ts'
import { keepPlayhead } from './keep-playhead.ts'
import type { Playback } from './playback.ts'

/**
 * Starts at the saved position and saves new ones. Returns the saved position in seconds; undefined: none.
 * @param moment start time in the address, which has priority
 */
export function usePlayhead(
  playback: Playback,
  { payload_reference, playhead }: Payload,
  moment: number | undefined,
): number | undefined {
  const may = useMay()('payloads.playhead:update')
  // Later saves do not move the player.
  const [kept] = useState(may ? playhead : undefined)
  const stopped = moment === undefined ? kept : undefined
  useEffect(() => {
    // Sound that goes on from the preview keeps its place.
    if (stopped !== undefined && playback.view().phase === 'idle') playback.seek(stopped)
  }, [playback, stopped])
  useEffect(() => {
    if (!may) return undefined
    let last = Promise.resolve()
    const save = (next: number | null) => {
      // Sequential saves: the last one wins.
      last = last.then(() => keep(payload_reference, next))
    }
    return keepPlayhead(playback, kept, save, document)
  }, [playback, payload_reference, kept, may])
  return stopped
}

async function keep(payload_reference: string, next: number | null): Promise<void> {
  try {
    const { playheadApi } = await import('../../../api/playhead-api.ts')
    const { playhead } = await playheadApi.savePlayhead({
      params: { payload_reference },
      body: { playhead: next },
    })
    queryClient.setQueryData(payloadQuery(payload_reference).queryKey, (payload) => {
      if (payload === undefined) return payload
      const { playhead: _before, ...rest } = payload
      return playhead === null ? rest : { ...rest, playhead }
    })
  } catch {
    // A failed save must not disturb playback; the next save retries.
  }
}
