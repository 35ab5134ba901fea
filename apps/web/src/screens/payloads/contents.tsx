import type { Payload, PayloadContents } from '@custodia/contract'
import { obstacleTo } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { DownloadButton } from './download-button.tsx'
import { formatSize } from './formats.ts'

/** Contents of an archive with download. The portal opens none of it. */
export default function Contents({ payload }: { payload: Payload }) {
  const { payload_types } = useProfile()
  const mayRead = useMay()('payloads:download')
  const { payload_reference } = payload
  const contents = useQuery({
    ...callQuery(api, 'readPayloadContents', { params: { payload_reference } }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: mayRead,
  })
  return (
    <Stack gap="xs" component="section">
      <Group justify="space-between">
        <Title order={3}>
          <Trans>Contents</Trans>
        </Title>
        <DownloadButton payload={payload} obstacle={obstacleTo(payload, payload_types)} />
      </Group>
      {mayRead ? (
        <QueryResult query={contents} height={120}>
          {(listing) => <Listing {...listing} />}
        </QueryResult>
      ) : (
        <Text size="sm" c="dimmed">
          <Trans>You need the permission payloads:download.</Trans>
        </Text>
      )}
    </Stack>
  )
}

type Entry = PayloadContents['entries'][number]

function Listing({ entries, reason }: PayloadContents) {
  const { t, i18n } = useLingui()
  const note = reason && <FailureReason reason={reason} />
  if (entries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {note ?? <Trans>The archive is empty.</Trans>}
      </Text>
    )
  return (
    <>
      <DataTable
        caption={t`Contents`}
        rows={entries.map((entry, index) => ({ ...entry, index }))}
        getKey={({ index }) => String(index)}
        columns={[
          { label: t`Name`, cell: (entry) => <Name entry={entry} /> },
          {
            label: t`Size`,
            align: 'end',
            cell: ({ size, is_folder }) => !is_folder && formatSize(size, i18n),
          },
          {
            label: t`Modified`,
            cell: ({ modified_at }) => modified_at !== undefined && <Time at={modified_at} />,
          },
        ]}
      />
      {note && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        <Trans>Names, sizes and times come from the archive; its files were not opened.</Trans>
      </Text>
    </>
  )
}

function Name({ entry: { name, is_encrypted } }: { entry: Entry }) {
  return (
    <>
      <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {visible(name)}
      </Text>
      {is_encrypted && (
        <Text span size="xs" c="dimmed" display="block">
          <Trans>encrypted</Trans>
        </Text>
      )}
    </>
  )
}

function FailureReason({ reason }: { reason: NonNullable<PayloadContents['reason']> }) {
  switch (reason) {
    case 'not_archive':
      return <Trans>This is a single file, not an archive: there is nothing to list.</Trans>
    case 'damaged':
      return <Trans>The archive is damaged or mislabelled. The list is incomplete.</Trans>
    case 'too_many':
      return <Trans>More entries exist than this list shows.</Trans>
    case 'too_large':
      return <Trans>The archive is larger than this list can show: later files are missing.</Trans>
  }
}
