import { createFileRoute } from '@tanstack/react-router'
import { momentSearch } from '../../../../screens/payloads/player/moment.ts'
import { SoundDetail } from '../../../../screens/payloads/sound-detail.tsx'

export const Route = createFileRoute('/dashboard/services/calls/$payload_reference')({
  validateSearch: momentSearch,
  staticData: {
    ahead: async ({ params: { payload_reference = '' } }): Promise<void> =>
      (await import('../../../../screens/payloads/queries.ts')).askForPayload(payload_reference),
  },
  component: () => <SoundDetail service="calls" reference={Route.useParams().payload_reference} />,
})
