import type { DataExport } from '@custodia/contract'
import { msg, plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { readAgain } from '../../../api/after-change.ts'
import { noticeDone } from '../../../api/notices.ts'
import { exportsApi } from '../../../api/payload-api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Time } from '../../../ui/time.tsx'
import { saveData } from '../data-address.ts'
import { formatSize } from '../formats.ts'

/** An export: download progress and parts. */
export function ExportParts({
  made: { export_id, created_at, items, refused, is_cut, parts },
}: {
  made: DataExport
}) {
  const { t, i18n } = useLingui()
  const fetching = useMutation({
    mutationFn: async (part: number) => {
      const { data, s3_url } = await exportsApi.readExportPart({
        params: { export_id, part },
        query: {},
      })
      const missing = data.filter(({ status }) => status !== 'Ok').length
      if (s3_url !== undefined) saveData(s3_url)
      readAgain('listExports')
      noticeDone(
        s3_url === undefined
          ? i18n._(msg`This part is gone, or your roles do not allow it.`)
          : missing === 0
            ? i18n._(msg`Download started`)
            : i18n._(
                msg`Download started. ${plural(missing, { one: '# recording is refused; see contents.csv.', other: '# recordings are refused; see contents.csv.' })}`,
              ),
      )
    },
  })
  const ending = useMutation({
    mutationFn: () => exportsApi.deleteExport({ params: { export_id }, query: {} }),
  })
  const fetched = parts.filter(({ fetched_at }) => fetched_at !== null).length
  const count = parts.length
  return (
    <Stack gap={8} component="section" aria-label={t`Export`}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
        <Text size="sm">
          <Time at={created_at} /> · <Plural value={items} one="# recording" other="# recordings" />
          {refused > 0 && (
            <>
              {' · '}
              <Plural value={refused} one="# without data" other="# without data" />
            </>
          )}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          style={{ flexShrink: 0 }}
          loading={ending.isPending}
          onClick={() => ending.mutate()}
        >
          <Trans>Cancel export</Trans>
        </Button>
      </Group>
      {is_cut && (
        <Text size="sm" c="dimmed">
          <Trans>More entries exist. Narrow the filters.</Trans>
        </Text>
      )}
      {count > 0 && (
        <>
          <Progress value={(fetched / count) * 100} size="sm" aria-label={t`Progress`} />
          <Text size="sm" c="dimmed">
            <Trans>
              {fetched} of {count} parts downloaded
            </Trans>
          </Text>
          <Group gap={6}>
            {parts.map(({ part, size, fetched_at }) => (
              <Button
                key={part}
                size="compact-sm"
                variant={fetched_at === null ? 'filled' : 'default'}
                leftSection={<Icon name={fetched_at === null ? 'download' : 'check'} size={14} />}
                loading={fetching.isPending && fetching.variables === part}
                onClick={() => fetching.mutate(part)}
              >
                {t`Part ${part} (${formatSize(size, i18n)})`}
              </Button>
            ))}
          </Group>
        </>
      )}
    </Stack>
  )
}
