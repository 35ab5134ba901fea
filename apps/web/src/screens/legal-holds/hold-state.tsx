import type { LegalHold } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { useNow } from '../../ui/use-now.ts'

/** Whether a released hold still protects records, at a time in epoch seconds. */
export const isInGrace = ({ keeps_until }: Pick<LegalHold, 'keeps_until'>, now: number): boolean =>
  keeps_until !== null && keeps_until > now

/** State of a hold: active, in grace after its release, or ended. */
export function HoldState({ hold }: { hold: Pick<LegalHold, 'is_active' | 'keeps_until'> }) {
  const { t } = useLingui()
  const now = useNow()
  if (hold.is_active)
    return (
      <Badge color="grape" leftSection={<Icon name="lock" size={13} />}>
        {t({ context: 'legally', message: 'On hold' })}
      </Badge>
    )
  return isInGrace(hold, now) ? (
    <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
      <Trans>Released, still protects</Trans>
    </Badge>
  ) : (
    <Badge color="gray" leftSection={<Icon name="check" size={13} />}>
      {t({ context: 'legal hold', message: 'Released' })}
    </Badge>
  )
}
