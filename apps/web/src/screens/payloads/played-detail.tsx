import type { Payload } from '@custodia/contract'
import type { Obstacle } from '@custodia/domain/can'
import { useRouter } from '@tanstack/react-router'
import { memo, useLayoutEffect, useSyncExternalStore } from 'react'
import { Player } from './player/player.tsx'
import { ObstaclePanel } from './obstacle-panel.tsx'
import { PayloadDetail } from './payload-detail.tsx'
import { headedFor } from './review-queue.ts'
import type { ScreenService } from './services.ts'

/** Page of a call, an interview or a video: player, or why playback is unavailable. */
export function PlayedDetail({ service, reference }: { service: ScreenService; reference: string }) {
  const { history } = useRouter()
  // The next recording of the list shows with the key press: its facts are there, and the router takes longer.
  const shown = useSyncExternalStore(history.subscribe, () =>
    history.location.pathname.split('/').at(-2) === service ? headedFor(history, reference) : reference,
  )
  useLayoutEffect(() => {
    if (shown !== reference) window.scrollTo(0, 0)
    // oxlint-disable-next-line react/exhaustive-deps -- once for each recording
  }, [shown])
  return <Detail service={service} reference={shown} content={playerOf} />
}

/** Renders once for each recording: again with its address would cost as much. */
const Detail = memo(PayloadDetail)

const playerOf = (payload: Payload, obstacle: Obstacle | undefined) =>
  obstacle === undefined ? (
    <Player payload={payload} />
  ) : (
    <ObstaclePanel payload={payload} obstacle={obstacle} />
  )
