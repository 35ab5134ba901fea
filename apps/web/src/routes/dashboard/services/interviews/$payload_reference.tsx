import { createFileRoute } from '@tanstack/react-router'
import { InterviewDetail } from '../../../../screens/interviews/interview-detail.tsx'

export const Route = createFileRoute('/dashboard/services/interviews/$payload_reference')({
  staticData: {
    ahead: async ({ params: { payload_reference = '' } }): Promise<void> =>
      (await import('../../../../components/payloads/queries.ts')).askForPayload(payload_reference),
  },
  component: () => <InterviewDetail reference={Route.useParams().payload_reference} />,
})
