import type { Payload } from '@custodia/contract'
import { type Obstacle, obstacleTo } from '@custodia/domain/can'
import { useLingui } from '@lingui/react/macro'
import { Box, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { lazy, type ReactNode, useCallback, useEffect } from 'react'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useSpaceBar } from '../../ui/use-space-bar.ts'
import { togglePlayback } from './player/pending-playback.ts'
import { MarksBar } from './actions/marks-bar.tsx'
import { isNotFound } from '../../api/is-not-found.ts'
import { DetailHeader } from './detail-header.tsx'
import { DetailTabs } from './detail-tabs.tsx'
import { PayloadFacts } from './payload-facts.tsx'
import classes from './payload.module.css'
import { payloadQuery, readAhead } from './queries.ts'
import { QueueButtons } from './queue-buttons.tsx'
import { usePlayOn } from './use-play-on.ts'
import { detailOf, type ScreenService, screenService, SERVICES } from './services.ts'

const NotFound = lazy(() => import('./payload-not-found.tsx'))

/**
 * Layout of payload pages: header, content at the left, facts at the right, tabs below.
 * @param content renders the player, conversation, …; `obstacle` is what blocks the data
 */
export function PayloadDetail({
  reference,
  service,
  hasArrowKeys = false,
  content,
}: {
  reference: string
  service: ScreenService
  /** Arrow keys navigate the list where no player uses them. */
  hasArrowKeys?: boolean
  content: (payload: Payload, obstacle: Obstacle | undefined) => ReactNode
}) {
  const { i18n } = useLingui()
  const { payload_types } = useProfile()
  const may = useMay()
  const { data: payload, error, refetch } = useQuery(payloadQuery(reference))
  const isThere = payload !== undefined
  usePlayOn(reference, service)
  useEffect(() => {
    // Never before the payload itself.
    if (isThere) void readAhead(reference)
  }, [isThere, reference])

  if (payload === undefined) {
    if (isNotFound(error))
      return (
        <>
          <QueueButtons reference={reference} service={service} hasArrowKeys={hasArrowKeys} />
          <NotFound reference={reference} service={service} />
        </>
      )
    return (
      <>
        <QueueButtons reference={reference} service={service} hasArrowKeys={hasArrowKeys} />
        {error === null ? (
          <Waiting reference={reference} />
        ) : (
          <>
            <PageHeader title={i18n._(SERVICES[service].one)} />
            <ErrorState onRetry={() => void refetch()} />
          </>
        )}
      </>
    )
  }
  const home = screenService(payload.payload_type)
  if (home === undefined) return <NotFound reference={reference} service={service} />
  // Keeps the time in a shared link.
  if (home !== service) return <Navigate {...detailOf(home, reference)} search hash replace />

  const obstacle = obstacleTo(payload, payload_types)
  return (
    <>
      <QueueButtons reference={reference} service={service} hasArrowKeys={hasArrowKeys} />
      <DetailHeader payload={payload} service={service} obstacle={obstacle} />
      <div className={classes.detail}>
        <div className={classes.content}>{content(payload, obstacle)}</div>
        <div className={classes.aside}>
          {may('payloads.marks:list') && (
            <Box mb="md">
              <MarksBar payload={payload} service={service} />
            </Box>
          )}
          <PayloadFacts payload={payload} />
        </div>
        <div className={classes.tabs}>
          <DetailTabs payload={payload} />
        </div>
      </div>
    </>
  )
}

function Waiting({ reference }: { reference: string }) {
  // A press before the player loads is kept for it.
  useSpaceBar(useCallback(() => togglePlayback(reference), [reference]))
  return (
    <Stack gap="md" aria-busy="true">
      <Skeleton h={30} w={300} />
      <Skeleton h={20} w={420} maw="100%" />
      <div className={classes.detail}>
        <Skeleton h={280} className={classes.content} />
        <Skeleton h={420} className={classes.aside} />
      </div>
    </Stack>
  )
}
