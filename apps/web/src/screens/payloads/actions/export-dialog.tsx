import { EXPORT_LIMIT } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Divider, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keyOf } from '../../../api/call-keys.ts'
import { takeReason } from '../../../api/reasons.ts'
import { exportsApi } from '../../../api/payload-api.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { formatSize } from '../formats.ts'
import { ExportParts } from './export-parts.tsx'

/** Part sizes in MiB. */
const SIZES = [256, 1024, 4096] as const
type Filter = Parameters<typeof exportsApi.createExport>[0]['query']

/** Creates an export of a list, and downloads existing exports in parts. */
export default function ExportDialog({ query, onClose }: { query: object; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const [size, setSize] = useState<number>(SIZES[1])
  const made = useQuery({
    queryKey: keyOf('listExports'),
    queryFn: ({ signal }) => exportsApi.listExports({ query: {} }, { signal }),
  })
  const making = useMutation({
    mutationFn: async () => {
      const why = await takeReason()
      if (why === undefined) return
      await exportsApi.createExport({ query: query as Filter, body: { part_megabytes: size, ...why } })
    },
  })
  const most = i18n.number(EXPORT_LIMIT)
  return (
    <Dialog title={t`Export with data`} onClose={onClose} size="lg">
      <Stack gap="md">
        <Text size="sm">
          <Trans>
            Exports up to {most} recordings of the filtered list, in BagIt parts with SHA-256 checksums, for
            one day. The audit log records each recording as a download when its part is fetched.
          </Trans>
        </Text>
        <Group align="end" gap="sm">
          <NativeSelect
            label={t`Largest part`}
            value={String(size)}
            onChange={({ currentTarget: { value } }) => setSize(Number(value))}
            data={SIZES.map((each) => ({
              value: String(each),
              label: formatSize(each * 1_048_576, i18n),
            }))}
          />
          <Button loading={making.isPending} onClick={() => making.mutate()} data-autofocus>
            <Trans>Create export</Trans>
          </Button>
        </Group>
        <Divider label={t`Your exports`} labelPosition="left" />
        <Loaded query={made} rows={2}>
          {({ data }) =>
            data.length === 0 ? (
              <Text size="sm" c="dimmed">
                <Trans>No exports yet. They stay here for one day.</Trans>
              </Text>
            ) : (
              <Stack gap="lg">
                {data.map((each) => (
                  <ExportParts key={each.export_id} made={each} />
                ))}
              </Stack>
            )
          }
        </Loaded>
      </Stack>
    </Dialog>
  )
}
