import type { Payload } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Card, Skeleton, Tabs } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { useSingleKeys } from '../../ui/use-keys.ts'
import { AuditTimeline } from './audit-timeline.tsx'
import { beginDraftHere, useDraft } from './player/draft.ts'

// Rarely used tabs load on demand.
const MetadataView = lazy(() => withTexts('lazy', import('./metadata-view.tsx')))
const CommentsPanel = lazy(async () => ({
  default: (await import('./comments/comments-panel.tsx')).CommentsPanel,
}))
const RecordingAccess = lazy(() => withTexts('lazy', import('./recording-access.tsx')))
const Related = lazy(() => withTexts('lazy', import('./related.tsx')))

/** Tab in the fragment of a recording's address, which a command opens. */
const ACCESS_TAB = 'access'

/** Tabs of a payload: audit, sealed metadata, related records. */
export function DetailTabs({ payload }: { payload: Payload }) {
  const may = useMay()
  const showsAudit = may('payloads.audit:read')
  const showsComments = may('payloads.comments:list')
  const { payload_reference } = payload
  const [choice, setChoice] = useState<{ of: string; tab: string | null }>()
  const usual = showsAudit ? 'audit' : 'metadata'
  const chosen = choice?.of === payload_reference ? choice.tab : usual
  const setChosen = (tab: string | null) => setChoice({ of: payload_reference, tab })
  const { hash, state } = useLocation()
  const access = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (hash !== ACCESS_TAB || access.current === null) return
    setChoice({ of: payload_reference, tab: ACCESS_TAB })
    access.current.focus()
  }, [hash, state.key, payload_reference])
  // A selected part opens the comment form.
  const isWriting = useDraft(payload_reference) !== undefined
  if (isWriting && chosen !== 'comments') setChosen('comments')
  useSingleKeys(may('payloads.comments:create') ? { c: () => beginDraftHere(payload_reference) } : {})
  return (
    <Card padding={0}>
      <Tabs value={chosen} onChange={setChosen} keepMounted={false}>
        <Tabs.List px="xs">
          {showsComments && (
            <Tabs.Tab value="comments" leftSection={<Icon name="message" size={16} />}>
              <Trans>Comments</Trans>
            </Tabs.Tab>
          )}
          {showsAudit && (
            <Tabs.Tab value="audit" leftSection={<Icon name="shield-check" size={16} />}>
              <Trans>Audit</Trans>
            </Tabs.Tab>
          )}
          <Tabs.Tab value="metadata" leftSection={<Icon name="info" size={16} />}>
            <Trans>Metadata</Trans>
          </Tabs.Tab>
          {may('payloads.access:list') && (
            <Tabs.Tab ref={access} value={ACCESS_TAB} leftSection={<Icon name="lock" size={16} />}>
              <Trans>Access</Trans>
            </Tabs.Tab>
          )}
          {may('payloads:list') && (
            <Tabs.Tab value="related" leftSection={<Icon name="clock" size={16} />}>
              <Trans>Related</Trans>
            </Tabs.Tab>
          )}
        </Tabs.List>
        {showsComments && (
          <Tabs.Panel value="comments" p="md">
            <Suspense fallback={<Skeleton h={180} />}>
              <CommentsPanel key={payload_reference} payload={payload} />
            </Suspense>
          </Tabs.Panel>
        )}
        {showsAudit && (
          <Tabs.Panel value="audit" p="md">
            <AuditTimeline payload={payload} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="metadata" p="md">
          <Suspense fallback={<Skeleton h={180} />}>
            <MetadataView key={payload_reference} payload={payload} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value={ACCESS_TAB} p="md">
          <Suspense fallback={<Skeleton h={180} />}>
            <RecordingAccess key={payload_reference} reference={payload_reference} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="related" p="md">
          <Suspense fallback={<Skeleton h={180} />}>
            <Related key={payload_reference} payload={payload} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Card>
  )
}
