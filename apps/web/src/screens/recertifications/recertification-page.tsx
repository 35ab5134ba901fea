import type { Recertification } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { recertificationsApi } from '../../api/access-api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { noticeFailure } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { RecordPage } from '../../components/record-page.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { download } from '../../ui/files.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { RecertifiedPeople } from './recertified-people.tsx'

/** Whether a recertification is open. */
export function RecertificationState({ recertification }: { recertification: Recertification }) {
  return recertification.ended_at === null ? (
    <Badge color="blue" leftSection={<Icon name="clock" size={13} />}>
      <Trans context="recertification">Open</Trans>
    </Badge>
  ) : (
    <Badge color="gray" leftSection={<Icon name="check" size={13} />}>
      <Trans context="recertification">Ended</Trans>
    </Badge>
  )
}

/** How many people are decided. */
export function Progress({
  recertification: { people, confirmed, revoked },
}: {
  recertification: Recertification
}) {
  const decided = confirmed + revoked
  return (
    <Trans>
      {decided} of {people}
    </Trans>
  )
}

/** A recertification: its people with their roles, to confirm or revoke; afterwards the signed report. */
export function RecertificationPage({ reference }: { reference: string }) {
  const { t } = useLingui()
  const query = useQuery({
    ...callQuery(recertificationsApi, 'readRecertification', {
      params: { recertification_reference: reference },
    }),
    enabled: useMay()('people.recertifications:read'),
  })
  return (
    <RecordPage
      query={query}
      title={t`Recertification`}
      back={{ to: '/dashboard/access/recertifications' }}
      backLabel={t`All recertifications`}
    >
      {(shown) => (
        <>
          <PageHeader
            title={visible(shown.name)}
            aside={<RecertificationState recertification={shown} />}
            actions={<PageActions recertification={shown} />}
          />
          <PageBody>
            <Facts isPart title={t`Recertification`}>
              <Fact label={t({ context: 'recertification', message: 'Started' })}>
                <Time at={shown.started_at} /> · {authorName(shown, 'started_by')}
              </Fact>
              <Fact label={t({ context: 'recertification', message: 'Due' })}>
                <Time at={shown.due_at} style="day" />
              </Fact>
              <Fact label={t`Role`}>{shown.role === null ? t`All roles` : visible(shown.role)}</Fact>
              <Fact label={t`Decided`}>
                <Progress recertification={shown} />
                {shown.revoked > 0 && (
                  <>
                    {' · '}
                    <Plural value={shown.revoked} one="# revoked" other="# revoked" />
                  </>
                )}
              </Fact>
              <Fact label={t({ context: 'recertification', message: 'Ended' })}>
                {shown.ended_at !== null && (
                  <>
                    <Time at={shown.ended_at} /> · {authorName(shown, 'ended_by')}
                  </>
                )}
              </Fact>
            </Facts>
            <RecertifiedPeople recertification={shown} />
          </PageBody>
        </>
      )}
    </RecordPage>
  )
}

function PageActions({ recertification }: { recertification: Recertification }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const may = useMay()
  const { recertification_reference, ended_at, people, confirmed, revoked } = recertification
  const params = { recertification_reference }
  const end = () => recertificationsApi.endRecertification({ params, query: {} })
  const save = async () => {
    try {
      const report = await recertificationsApi.readRecertificationReport({ params, query: {} })
      download([JSON.stringify(report, null, 2)], `recertification-${recertification_reference}`, {
        type: 'application/json',
        ending: 'json',
      })
    } catch (error) {
      noticeFailure(error)
    }
  }
  if (ended_at !== null)
    return (
      <Button variant="default" onClick={() => void save()}>
        <Trans>Save the signed report</Trans>
      </Button>
    )
  if (!may('people.recertifications:update')) return null
  const open = people - confirmed - revoked
  if (open === 0)
    return (
      <Button onClick={() => void end().catch(noticeFailure)}>
        <Trans>End recertification</Trans>
      </Button>
    )
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        <Trans>End with open decisions</Trans>
      </Button>
      {isAsking && (
        <Confirm
          title={t`End with open decisions?`}
          confirmLabel={t`End recertification`}
          isDangerous
          onConfirm={end}
          onClose={() => setAsking(false)}
        >
          <Text>
            <Plural
              value={open}
              one="# person stays without a decision. The end is final."
              other="# people stay without a decision. The end is final."
            />
          </Text>
        </Confirm>
      )}
    </>
  )
}
