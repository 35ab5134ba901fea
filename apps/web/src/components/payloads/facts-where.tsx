import type { Payload, PayloadMeta } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { Trans } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import type { Fact } from './fact.ts'

type Location = NonNullable<PayloadMeta['payload_location']>

export function whereFacts(payload: Payload, meta: PayloadMeta | undefined, i18n: I18n): (Fact | false)[] {
  const place = (location: Location | null | undefined) =>
    location ? <Place location={location} i18n={i18n} /> : undefined
  return [
    [<Trans key="at">Recorded at</Trans>, place(meta?.payload_location)],
    [<Trans key="last">Last known</Trans>, place(meta?.last_known_location)],
    [<Trans key="zone">Time zone</Trans>, payload.timezone],
  ]
}

function Place({ location, i18n }: { location: Location; i18n: I18n }) {
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
