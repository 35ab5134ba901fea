import { Trans, useLingui } from '@lingui/react/macro'
import { Alert } from '@mantine/core'
import { TextLink } from '../../components/text-link.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'

/** Says that nothing is destroyed, because the sealed log contradicts a checkpoint. */
export function ContradictionNotice({ since }: { since: number | null }) {
  const { t } = useLingui()
  if (since === null) return null
  const link = (
    <TextLink to="/dashboard/account/audit/sealed">
      <Trans>Sealed log</Trans>
    </TextLink>
  )
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={t`Nothing is destroyed`} mb="md">
      <Trans>
        Since <Time at={since} />, the sealed log contradicts a checkpoint. The operator must resolve it.
      </Trans>{' '}
      {link}
    </Alert>
  )
}
