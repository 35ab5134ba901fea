import { FAILURES, type PayloadSummary } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { shownLocale } from '../../i18n/i18n.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Reference } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'
import { StateBadge } from '../state-badge.tsx'
import { Time } from '../../ui/time.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { PAYLOAD_TYPE_WORDS } from '../words/payload-words.ts'
import { SpecWord } from '../words/spec-word.tsx'
import { partyText } from './party-text.ts'
import { payloadQuery } from './queries.ts'
import { DIRECTION_LOOKS, FlagsCell } from './payload-cells.tsx'
import classes from './payload-preview.module.css'

/** The facts of a payload beside its list: at once from the row, complete as soon as they are read. */
export default function PayloadPreview({ rowKey, row }: { rowKey: string; row: PayloadSummary | undefined }) {
  const { i18n, t } = useLingui()
  const { data, error, refetch } = useQuery(payloadQuery(rowKey))
  const payload = data ?? row
  if (payload === undefined) {
    return error === null ? (
      <Skeleton h={320} aria-busy />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    )
  }
  const parties = payload.parties ?? []
  const hidden = (payload.party_count ?? parties.length) - parties.length
  return (
    <Stack gap="md">
      <div className={classes.marks}>
        <StateBadge state={payload.payload_state} />
        <FlagsCell row={payload} />
      </div>
      {payload.failure !== undefined && (
        <Alert color="red" icon={<Icon name="alert-circle" />} p="sm">
          {FAILURES[payload.failure][shownLocale()]}
        </Alert>
      )}
      <Facts title={t`Who`}>
        {parties.length > 0 && (
          <Fact label={t`Parties`}>
            <ul className={classes.parties}>
              {parties.map((party, index) => (
                <li key={index}>
                  <strong>{partyText(party, i18n)}</strong>
                  {party.contact_name && party.phone_number !== null && (
                    <span> {visible(party.phone_number)}</span>
                  )}
                </li>
              ))}
              {hidden > 0 && <li>{t`${hidden} more`}</li>}
            </ul>
          </Fact>
        )}
        {payload.direction !== undefined && (
          <Fact label={t`Direction`}>{i18n._(DIRECTION_LOOKS[payload.direction].word)}</Fact>
        )}
        <Fact label={t`Device user`}>{visible(payload.device_user_reference ?? t`Nobody`)}</Fact>
        {payload.group !== null && <Fact label={t`Group`}>{payload.group}</Fact>}
      </Facts>
      <Facts title={t`When`}>
        <Fact label={t({ context: 'when', message: 'Recorded' })}>
          <Time at={payload.payload_time} zone={payload.timezone} secondary style="second" />
        </Fact>
        {payload.duration !== undefined && (
          <Fact label={t`Duration`}>
            <span className="tabular">{formatDuration(payload.duration)}</span>
          </Fact>
        )}
        {payload.length !== undefined && <Fact label={t`Characters`}>{i18n.number(payload.length)}</Fact>}
        {payload.uploaded_at !== undefined && (
          <Fact label={t`Uploaded`}>
            <Time at={payload.uploaded_at} style="second" />
          </Fact>
        )}
        {payload.processed_at !== undefined && (
          <Fact label={t`Processed`}>
            <Time at={payload.processed_at} style="second" />
          </Fact>
        )}
      </Facts>
      <Facts title={t`What`}>
        <Fact label={t`Type`}>
          <SpecWord value={payload.payload_type} words={PAYLOAD_TYPE_WORDS} />
        </Fact>
        {payload.reason_for_blocking !== undefined && (
          <Fact label={t`Reason for blocking`}>{payload.reason_for_blocking}</Fact>
        )}
        {payload.notes !== undefined && payload.notes !== '' && <Fact label={t`Notes`}>{payload.notes}</Fact>}
        <Fact label={t`Device`}>
          <Reference value={payload.device_reference} length={24} />
        </Fact>
        <Fact label={t`Reference`}>
          <Reference value={payload.payload_reference} length={20} />
        </Fact>
        {data?.checksum !== undefined && (
          <Fact label={t`Checksum`}>
            <Reference value={data.checksum} length={20} />
          </Fact>
        )}
      </Facts>
      {error !== null && <Trans>More facts could not be loaded.</Trans>}
    </Stack>
  )
}

const Facts = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3 className={classes.title}>{title}</h3>
    <dl className={classes.facts}>{children}</dl>
  </section>
)

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={classes.fact}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)
