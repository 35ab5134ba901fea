import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { sealedLogQuery } from '../../api/sealed-log-api.ts'
import { formatTime, viewerZone } from '../../ui/time-format.ts'

/** How far the audit log is sealed, with a link to the sealed log. */
export function SealedLine() {
  const { i18n } = useLingui()
  const { data } = useQuery(sealedLogQuery)
  if (!data || data.sealed_at === null) return null
  const time = formatTime(data.sealed_at, i18n.locale, viewerZone(), 'minute')
  return (
    <Anchor size="sm" renderRoot={(rest) => <Link {...rest} to="/dashboard/account/audit/sealed" />}>
      <Trans>Sealed until {time}</Trans>, <Plural value={data.size} one="# entry" other="# entries" />
    </Anchor>
  )
}
