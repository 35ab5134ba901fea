import type { Payload } from '@custodia/contract'
import { useEffect, useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { useMay } from '../../api/use-profile.ts'
import { payloadQuery } from '../payloads/queries.ts'
import { keepPlayhead } from './keep-playhead.ts'
import type { Playback } from './playback.ts'

/**
 * Has the player stand where the reader stopped, and keeps where they stop now. Returns where they stopped, in seconds; undefined: nowhere.
 *
 * @param moment second that the page's address names, which goes before
 */
export function usePlayhead(
  playback: Playback,
  { payload_reference, playhead }: Payload,
  moment: number | undefined,
): number | undefined {
  const may = useMay()('payloads.playhead:update')
  // What is kept meanwhile moves nothing.
  const [kept] = useState(may ? playhead : undefined)
  const stopped = moment === undefined ? kept : undefined
  useEffect(() => {
    if (stopped !== undefined) playback.seek(stopped)
  }, [playback, stopped])
  useEffect(() => {
    if (!may) return undefined
    let last = Promise.resolve()
    const save = (next: number | null) => {
      // One after the other: the last one counts.
      last = last.then(() => keep(payload_reference, next))
    }
    return keepPlayhead(playback, kept, save, document)
  }, [playback, payload_reference, kept, may])
  return stopped
}

async function keep(payload_reference: string, next: number | null): Promise<void> {
  try {
    const { playheadApi } = await import('../../api/playhead-api.ts')
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
    // The reader hears what they came for; where they stopped is kept the next time.
  }
}
