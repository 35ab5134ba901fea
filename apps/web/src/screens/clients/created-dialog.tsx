import { type CreatedClient, FIRST_ENROLMENT_DAYS } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { CopyButton } from '../../ui/reference.tsx'

/** Secrets of a new client, shown only while the dialog is open. */
export default function CreatedDialog({ made, onClose }: { made: CreatedClient; onClose: () => void }) {
  const { t } = useLingui()
  const { account, account_key, enrolment } = made
  const { client, client_name, first_administrator } = account
  return (
    <Dialog title={t`${client_name} was created`} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Alert color="orange" icon={<Icon name="warning" />}>
          <Trans>Account key and enrolment are shown once. Copy them now.</Trans>
        </Alert>
        <Secret
          label={t`Sign-in address of ${first_administrator}`}
          value={`${location.origin}/sign-in?client=${client}`}
        />
        <Secret
          label={t`Account key`}
          description={t`For your device management: it proves that devices belong to the account.`}
          value={account_key}
        />
        <Secret
          label={t`First device enrolment`}
          description={t`Valid for one device and ${FIRST_ENROLMENT_DAYS} days.`}
          value={enrolment}
        />
        <Group justify="flex-end">
          <Button onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Secret({ label, description, value }: { label: string; description?: string; value: string }) {
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <Text fw={600}>{label}</Text>
        <CopyButton value={value} name={label} />
      </Group>
      {description !== undefined && (
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      )}
      <Code block mt={4} aria-label={label} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value}
      </Code>
    </div>
  )
}
