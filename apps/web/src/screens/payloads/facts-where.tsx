import type { Payload, PayloadMeta } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { Fact, Facts } from '../../components/facts.tsx'
import { POSITION_SOURCES } from '../../components/words/payload-words.ts'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { formatWallClock } from './formats.ts'

type Location = NonNullable<PayloadMeta['payload_location']>

export function WhereFacts({ payload, meta }: { payload: Payload; meta: PayloadMeta | undefined }) {
  const { t } = useLingui()
  const place = (location: Location | null | undefined) => location && <Place location={location} />
  return (
    <Facts title={t`Where`} isPart>
      <Fact label={t`Recorded at`}>{place(meta?.payload_location)}</Fact>
      <InFile payload={payload} />
      <Fact label={t`Last known`}>{place(meta?.last_known_location)}</Fact>
      <Fact label={t`Time zone`}>{payload.timezone}</Fact>
    </Facts>
  )
}

/** Position and time in the photo's metadata, with plausibility. */
function InFile({ payload: { media } }: { payload: Payload }) {
  const { t, i18n } = useLingui()
  if (media?.in_file === undefined) return null
  const { location, taken_at, metres_away, contradicts_device } = media.in_file
  const kilometres = i18n.number((metres_away ?? 0) / 1000, { maximumFractionDigits: 1 })
  return (
    <>
      <Fact label={t`According to the file`}>
        {location && (
          <>
            <Place location={location} />
            {contradicts_device && (
              <Text span size="sm" c="red" fw={600} display="block">
                <Trans>{kilometres} km from the phone’s reported position</Trans>
              </Text>
            )}
          </>
        )}
      </Fact>
      <Fact label={t`Taken, according to the file`}>
        {taken_at && formatWallClock(taken_at, i18n.locale)}
      </Fact>
    </>
  )
}

function Place({ location }: { location: Location }) {
  const { i18n } = useLingui()
  const { latitude, longitude, accuracy, provider, timestamp } = location
  const source = POSITION_SOURCES.get(provider ?? '')
  const metres = accuracy === undefined ? undefined : i18n.number(accuracy, { maximumFractionDigits: 0 })
  return (
    <span>
      <Reference value={`${latitude.toFixed(5)}, ${longitude.toFixed(5)}`} length={24} />
      <Text span size="xs" c="dimmed" display="block">
        {metres !== undefined && <>± {metres} m </>}
        {provider !== undefined && <>· {source ? i18n._(source) : provider} </>}
        {timestamp !== undefined && (
          <>
            · <Time at={timestamp} />
          </>
        )}
      </Text>
    </span>
  )
}
