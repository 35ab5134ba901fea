import type { Payload, PayloadMeta } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { Fact, Facts } from '../facts.tsx'

type Location = NonNullable<PayloadMeta['payload_location']>

export function WhereFacts({ payload, meta }: { payload: Payload; meta: PayloadMeta | undefined }) {
  const { t } = useLingui()
  const place = (location: Location | null | undefined) => location && <Place location={location} />
  return (
    <Facts title={t`Where`} isPart>
      <Fact label={t`Recorded at`}>{place(meta?.payload_location)}</Fact>
      <Fact label={t`Last known`}>{place(meta?.last_known_location)}</Fact>
      <Fact label={t`Time zone`}>{payload.timezone}</Fact>
    </Facts>
  )
}

function Place({ location }: { location: Location }) {
  const { i18n } = useLingui()
  const { latitude, longitude, accuracy, provider, timestamp } = location
  const metres = accuracy === undefined ? undefined : i18n.number(accuracy, { maximumFractionDigits: 0 })
  return (
    <span>
      <Reference value={`${latitude.toFixed(5)}, ${longitude.toFixed(5)}`} length={24} />
      <Text span size="xs" c="dimmed" display="block">
        {metres !== undefined && <>± {metres} m </>}
        {provider !== undefined && <>· {provider} </>}
        {timestamp !== undefined && (
          <>
            · <Time at={timestamp} />
          </>
        )}
      </Text>
    </span>
  )
}
