import { Skeleton } from '@mantine/core'
import { useMay } from '../../api/use-profile.ts'
import { NewestCalls } from './newest-calls.tsx'
import { Worklist } from './worklist.tsx'
import { WORK_HEIGHT } from './work-height.ts'

/** Upper cards: pending work, once the last visit is known, and the newest calls. */
export default function Work({ last_visit_at }: { last_visit_at: number | null | undefined }) {
  const may = useMay()
  return (
    <>
      {last_visit_at === undefined ? (
        <Skeleton h={WORK_HEIGHT} radius="md" />
      ) : (
        <Worklist last_visit_at={last_visit_at} />
      )}
      {may('payloads:list') && <NewestCalls />}
    </>
  )
}
