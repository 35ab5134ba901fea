import type { Payload } from '@custodia/contract'
import type { Obstacle } from '@custodia/domain/can'
import { useRouter } from '@tanstack/react-router'
import { memo, useLayoutEffect, useSyncExternalStore } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { ObstaclePanel } from './obstacle-panel.tsx'
import { PayloadDetail } from './payload-detail.tsx'
import { Player } from './player/player.tsx'
import { payloadQuery } from './queries.ts'
import { headedFor } from './review-queue.ts'
import type { ScreenService } from './services.ts'

/** Page of a call, an interview or a video: player, or why playback is unavailable. */
export function PlayedDetail({ service, reference }: { service: ScreenService; reference: string }) {
  const { history } = useRouter()
  const shown = useSyncExternalStore(history.subscribe, () => {
    const headed =
      history.location.pathname.split('/').at(-2) === service ? headedFor(history, reference) : reference
    // Facts that are there show with the key press: the router takes longer.
    return queryClient.getQueryData(payloadQuery(headed).queryKey) === undefined ? reference : headed
  })
  useLayoutEffect(() => {
    if (shown !== reference) window.scrollTo(0, 0)
    // oxlint-disable-next-line react/exhaustive-deps -- once for each recording
  }, [shown])
  return <Detail service={service} reference={shown} content={getPlayer} />
}

/** Renders once for each recording: again with its address would cost as much. */
const Detail = memo(PayloadDetail)

const getPlayer = (payload: Payload, obstacle: Obstacle | undefined) =>
  obstacle === undefined ? (
    <Player payload={payload} />
  ) : (
    <ObstaclePanel payload={payload} obstacle={obstacle} />
  )
