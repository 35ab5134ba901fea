import { createFileRoute } from '@tanstack/react-router'
import { PhotoDetail } from '../../../../screens/photos/photo-viewer.tsx'

export const Route = createFileRoute('/dashboard/services/photos/$payload_reference')({
  staticData: {
    ahead: async ({ params: { payload_reference = '' } }): Promise<void> =>
      (await import('../../../../screens/payloads/queries.ts')).askForPayload(payload_reference),
  },
  component: () => <PhotoDetail reference={Route.useParams().payload_reference} />,
})
