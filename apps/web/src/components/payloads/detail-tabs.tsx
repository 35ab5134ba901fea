import type { Payload } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Card, Skeleton, Tabs } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { AuditTimeline } from './audit-timeline.tsx'

// What is looked at now and then comes when it is.
const MetadataView = lazy(() => import('./metadata-view.tsx'))
const Related = lazy(() => import('./related.tsx'))

/** What belongs to a payload: who did what with it, what the phone sealed beside it, and what happened around it. */
export function DetailTabs({ payload }: { payload: Payload }) {
  const may = useMay()
  const showsAudit = may('payloads.audit:read')
  return (
    <Card padding={0}>
      <Tabs defaultValue={showsAudit ? 'audit' : 'metadata'} keepMounted={false}>
        <Tabs.List px="xs">
          {showsAudit && (
            <Tabs.Tab value="audit" leftSection={<Icon name="shield-check" size={16} />}>
              <Trans>Audit</Trans>
            </Tabs.Tab>
          )}
          <Tabs.Tab value="metadata" leftSection={<Icon name="info" size={16} />}>
            <Trans>Metadata</Trans>
          </Tabs.Tab>
          {may('payloads:list') && (
            <Tabs.Tab value="related" leftSection={<Icon name="clock" size={16} />}>
              <Trans>Related</Trans>
            </Tabs.Tab>
          )}
        </Tabs.List>
        {showsAudit && (
          <Tabs.Panel value="audit" p="md">
            <AuditTimeline reference={payload.payload_reference} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="metadata" p="md">
          <Suspense fallback={<Skeleton h={180} />}>
            <MetadataView payload={payload} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="related" p="md">
          <Suspense fallback={<Skeleton h={180} />}>
            <Related payload={payload} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Card>
  )
}
