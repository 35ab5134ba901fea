import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Fact } from './fact.ts'
import { metaOf } from './meta.ts'
import classes from './payload.module.css'
import { deviceFacts } from './facts-device.tsx'
import { processingFacts } from './facts-processing.tsx'
import { whenFacts } from './facts-when.tsx'
import { whereFacts } from './facts-where.tsx'
import { whoFacts } from './facts-who.tsx'

/** What is known about a payload: Who · When · Where · Device · Processing. What is not known is left out. */
export function Facts({ payload }: { payload: Payload }) {
  const { t, i18n } = useLingui()
  const meta = metaOf(payload)
  return (
    <Card component="section" aria-label={t`Facts`}>
      <Stack gap="lg">
        <Group title={<Trans>Who</Trans>} facts={whoFacts(payload, meta)} />
        <Group title={<Trans>When</Trans>} facts={whenFacts(payload, meta, i18n)} />
        <Group title={<Trans>Where</Trans>} facts={whereFacts(payload, meta, i18n)} />
        <Group title={<Trans>Device</Trans>} facts={deviceFacts(payload, meta)} />
        <Group title={<Trans>Processing</Trans>} facts={processingFacts(payload, i18n)} />
      </Stack>
    </Card>
  )
}

function Group({ title, facts }: { title: ReactNode; facts: readonly (Fact | false)[] }) {
  const known = facts.filter(
    (fact): fact is Fact => fact !== false && fact[1] !== undefined && fact[1] !== null,
  )
  if (known.length === 0) return null
  return (
    <div>
      <Title order={2} size="h4" mb={6}>
        {title}
      </Title>
      <dl className={classes.facts}>
        {known.map(([term, value], index) => (
          <div key={index} style={{ display: 'contents' }}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
