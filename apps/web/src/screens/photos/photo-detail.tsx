import { ObstaclePanel } from '../payloads/obstacle-panel.tsx'
import { PayloadDetail } from '../payloads/payload-detail.tsx'
import { PhotoViewer } from './photo-viewer.tsx'

/** Page of a photo: viewer, or why it is unavailable. */
export function PhotoDetail({ reference }: { reference: string }) {
  return (
    <PayloadDetail
      key={reference}
      reference={reference}
      service="photos"
      hasArrowKeys
      content={(payload, obstacle) =>
        obstacle === undefined ? (
          <PhotoViewer payload={payload} />
        ) : (
          <ObstaclePanel payload={payload} obstacle={obstacle} />
        )
      }
    />
  )
}
