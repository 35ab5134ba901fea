import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useProfile } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'

/** Link to the user's alert e-mails; hidden in support mode. */
export default function MailsLink() {
  const { support } = useProfile()
  if (support !== null) return null
  return (
    <Button
      variant="default"
      leftSection={<Icon name="bell" size={16} />}
      renderRoot={(props) => <Link {...props} to="/dashboard/account/alert-mails" />}
    >
      <Trans>Email alerts</Trans>
    </Button>
  )
}
