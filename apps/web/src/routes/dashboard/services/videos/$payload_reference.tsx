import { createFileRoute } from '@tanstack/react-router'
import { momentSearch } from '../../../../screens/payloads/player/moment.ts'
import { VideoDetail } from '../../../../screens/videos/video-detail.tsx'

export const Route = createFileRoute('/dashboard/services/videos/$payload_reference')({
  validateSearch: momentSearch,
  staticData: {
    ahead: async ({ params: { payload_reference = '' } }): Promise<void> =>
      (await import('../../../../screens/payloads/queries.ts')).askForPayload(payload_reference),
  },
  component: () => <VideoDetail reference={Route.useParams().payload_reference} />,
})
