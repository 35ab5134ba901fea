import { createFileRoute } from '@tanstack/react-router'
import { momentSearch } from '../../../../screens/payloads/player/moment.ts'
import { CallDetail } from '../../../../screens/calls/call-detail.tsx'

export const Route = createFileRoute('/dashboard/services/calls/$payload_reference')({
  validateSearch: momentSearch,
  staticData: {
    ahead: async ({ params: { payload_reference = '' } }): Promise<void> =>
      (await import('../../../../screens/payloads/queries.ts')).askForPayload(payload_reference),
  },
  component: () => <CallDetail reference={Route.useParams().payload_reference} />,
})
