import { Player } from './player/player.tsx'
import { ObstaclePanel } from './obstacle-panel.tsx'
import { PayloadDetail } from './payload-detail.tsx'
import type { ScreenService } from './services.ts'

/** Page of a call, an interview or a video: player, or why playback is unavailable. */
export function PlayedDetail({ service, reference }: { service: ScreenService; reference: string }) {
  return (
    <PayloadDetail
      // The key remounts per recording: player, focus and scroll start over.
      key={reference}
      reference={reference}
      service={service}
      content={(payload, obstacle) =>
        obstacle === undefined ? (
          <Player payload={payload} />
        ) : (
          <ObstaclePanel payload={payload} obstacle={obstacle} />
        )
      }
    />
  )
}
