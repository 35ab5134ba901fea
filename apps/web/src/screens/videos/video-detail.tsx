import { Player } from '../payloads/player/player.tsx'
import { ObstaclePanel } from '../payloads/obstacle-panel.tsx'
import { PayloadDetail } from '../payloads/payload-detail.tsx'

/** Page of a video: player, or why playback is unavailable. */
export function VideoDetail({ reference }: { reference: string }) {
  return (
    <PayloadDetail
      // The key remounts per recording: player, focus and scroll start over.
      key={reference}
      reference={reference}
      service="videos"
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
