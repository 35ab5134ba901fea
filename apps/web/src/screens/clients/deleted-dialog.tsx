import type { ClientDeletion } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, ScrollArea, Stack, Text, Code } from '@mantine/core'
import { Dialog } from '../../ui/dialog.tsx'
import { CopyButton } from '../../ui/reference.tsx'

/** Certificate of a deleted client. */
export default function DeletedDialog({
  deletion,
  onClose,
}: {
  deletion: ClientDeletion
  onClose: () => void
}) {
  const { t } = useLingui()
  const { client, client_name } = deletion.certificate
  const file = JSON.stringify(deletion, null, 2)
  return (
    <Dialog title={t`${client_name} is deleted`} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          <Trans>Keep this certificate. It can be verified without the server.</Trans>
        </Text>
        <div>
          <Group gap="xs" wrap="nowrap">
            <Text fw={600}>
              <Trans>Certificate</Trans>
            </Text>
            <CopyButton value={file} name={t`Certificate`} />
          </Group>
          <ScrollArea.Autosize mah={320} mt={4} viewportProps={{ tabIndex: 0, 'aria-label': t`Certificate` }}>
            <Code block>{file}</Code>
          </ScrollArea.Autosize>
        </div>
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            component="a"
            href={`data:application/json;charset=utf-8,${encodeURIComponent(file)}`}
            download={`deletion-${client}.json`}
          >
            <Trans>Download</Trans>
          </Button>
          <Button onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
