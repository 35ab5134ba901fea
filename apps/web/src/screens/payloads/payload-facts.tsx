import type { Payload } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Card, Stack } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { DeviceFacts } from './facts-device.tsx'
import { ProcessingFacts } from './facts-processing.tsx'
import { WhenFacts } from './facts-when.tsx'
import { WhereFacts } from './facts-where.tsx'
import { WhoFacts } from './facts-who.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { metaOf } from './meta.ts'

/** The last facts may load later. */
const RetentionFacts = lazy(() => withTexts('lazy', import('./facts-retention.tsx')))

/** Facts of a payload: Who · When · Where · Device · Processing · Retention. Unknown ones are omitted. */
export function PayloadFacts({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const meta = metaOf(payload)
  return (
    <Card component="section" aria-label={t`Details`}>
      <Stack gap="lg">
        <WhoFacts payload={payload} meta={meta} />
        <WhenFacts payload={payload} meta={meta} />
        <WhereFacts payload={payload} meta={meta} />
        <DeviceFacts payload={payload} meta={meta} />
        <ProcessingFacts payload={payload} />
        <Suspense>
          <RetentionFacts payload={payload} />
        </Suspense>
      </Stack>
    </Card>
  )
}
