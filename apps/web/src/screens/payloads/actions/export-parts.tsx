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

type Part = DataExport['parts'][number]

/** Seconds after which an incomplete download counts as interrupted: the browser shows whether it runs. */
const INTERRUPTED_AFTER = 3600

/** Whether a part is being downloaded, as far as the server knows. */
export const isRunning = ({ fetched_at, finished_at }: Part): boolean =>
  fetched_at !== null && finished_at === null && Date.now() / 1000 - fetched_at < INTERRUPTED_AFTER

/** An export: what is in it, download progress, and parts. */
export function ExportParts({ made }: { made: DataExport }) {
  const { t } = useLingui()
  const { is_cut, parts } = made
  return (
    <Stack gap={8} component="section" aria-label={t`Export`}>
      <ExportFacts made={made} />
      {is_cut && (
        <Text size="sm" c="dimmed">
          <Trans>More entries exist. Narrow the filters.</Trans>
        </Text>
      )}
      {parts.length > 0 && (
        <>
          <DownloadProgress parts={parts} />
          <PartButtons made={made} />
        </>
      )}
    </Stack>
  )
}

function ExportFacts({ made: { export_id, created_at, expires_at, items, refused } }: { made: DataExport }) {
  const ending = useMutation({
    mutationFn: () => exportsApi.deleteExport({ params: { export_id }, query: {} }),
  })
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="start">
      <Text size="sm" component="div">
        <Time at={created_at} /> · <Plural value={items} one="# recording" other="# recordings" />
        {refused > 0 && (
          <>
            {' · '}
            <Plural value={refused} one="# without data" other="# without data" />
          </>
        )}
        <Text size="sm" c="dimmed" component="div">
          <Trans>
            Available until <Time at={expires_at} />
          </Trans>
        </Text>
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
  )
}

/** Progress over all parts, by recordings sent. */
function DownloadProgress({ parts }: { parts: readonly Part[] }) {
  const { t } = useLingui()
  const count = parts.length
  const fetched = parts.filter(({ finished_at }) => finished_at !== null).length
  const items = parts.reduce((sum, part) => sum + part.items, 0)
  const sent = parts.reduce((sum, part) => sum + part.sent, 0)
  return (
    <>
      <Progress
        value={items === 0 ? 0 : (sent / items) * 100}
        size="sm"
        aria-label={t`Progress`}
        animated={parts.some(isRunning)}
      />
      <Text size="sm" c="dimmed">
        <Plural
          value={count}
          one={`${fetched} of # part downloaded`}
          other={`${fetched} of # parts downloaded`}
        />
      </Text>
    </>
  )
}

function PartButtons({ made: { export_id, parts } }: { made: DataExport }) {
  const { t, i18n } = useLingui()
  const fetching = useMutation({
    mutationFn: async (part: number) => {
      const { data, s3_url } = await exportsApi.readExportPart({ params: { export_id, part }, query: {} })
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
  return (
    <Group gap={6}>
      {parts.map(({ part, size, finished_at }) => (
        <Button
          key={part}
          size="compact-sm"
          variant={finished_at === null ? 'filled' : 'default'}
          leftSection={<Icon name={finished_at === null ? 'download' : 'check'} size={14} />}
          loading={fetching.isPending && fetching.variables === part}
          onClick={() => fetching.mutate(part)}
        >
          {t`Part ${part} (${formatSize(size, i18n)})`}
        </Button>
      ))}
    </Group>
  )
}
