import type { Payload } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Card, Tabs } from '@mantine/core'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { AuditTimeline } from './audit-timeline.tsx'
import { MetadataView } from './metadata-view.tsx'
import { Related } from './related.tsx'

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
          <MetadataView payload={payload} />
        </Tabs.Panel>
        <Tabs.Panel value="related" p="md">
          <Related payload={payload} />
        </Tabs.Panel>
      </Tabs>
    </Card>
  )
}
