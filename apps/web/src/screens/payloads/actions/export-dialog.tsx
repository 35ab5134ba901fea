import { type DataExport, EXPORT_LIMIT, type ExportContent, type Locale } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, Divider, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { repeatedQuery } from '../../../api/call-keys.ts'
import { sentWhenReachable } from '../../../api/connection.ts'
import { exportsApi } from '../../../api/payload-api.ts'
import { takeReason } from '../../../api/reasons.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { formatSize } from '../formats.ts'
import type { ExportSource } from './export-button.tsx'
import { ExportParts, isRunning } from './export-parts.tsx'

/** Part sizes in MiB. */
const SIZES = [256, 1024, 4096] as const
/** Poll interval while a download runs, in milliseconds. */
const WATCH_MS = 2_000
type Call = Parameters<typeof exportsApi.createExport>[0]

/** The caller's exports; polled while one of them is downloaded. */
const exportsQuery = {
  ...repeatedQuery(exportsApi, 'listExports'),
  refetchInterval: ({ state: { data } }: { state: { data: { data: DataExport[] } | undefined } }) =>
    data?.data.some(({ parts }) => parts.some(isRunning)) ? WATCH_MS : (false as const),
  meta: { isWatch: true },
}

/** Creates an export of a selection, a filter or a search, and downloads existing exports in parts. */
export default function ExportDialog({ chosen, onClose }: { chosen: ExportSource; onClose: () => void }) {
  const { t } = useLingui()
  const made = useQuery(exportsQuery)
  return (
    <Dialog title={t`Export with data`} onClose={onClose} size="lg">
      <Stack>
        <NewExport chosen={chosen} />
        <Divider label={t`Your exports`} labelPosition="left" />
        <QueryResult query={made} rows={2}>
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
        </QueryResult>
      </Stack>
    </Dialog>
  )
}

/** What is exported, in words. */
function ChosenText({ chosen }: { chosen: ExportSource }) {
  const { i18n } = useLingui()
  const most = i18n.number(EXPORT_LIMIT)
  if ('payload_references' in chosen)
    return (
      <Plural
        value={chosen.payload_references.length}
        one="Exports the selected recording."
        other="Exports the # selected recordings."
      />
    )
  if ('matter_id' in chosen)
    return <Trans>Exports up to {most} recordings of the people in this matter.</Trans>
  if ('words' in chosen) return <Trans>Exports up to {most} results of the search.</Trans>
  return <Trans>Exports up to {most} recordings of the filtered list.</Trans>
}

function NewExport({ chosen }: { chosen: ExportSource }) {
  const { t, i18n } = useLingui()
  const [size, setSize] = useState<number>(SIZES[1])
  const [contents, setContents] = useState<ExportContent[]>(['originals', 'csv', 'report'])
  const making = useMutation({
    ...sentWhenReachable(async () => {
      const why = await takeReason()
      if (why === undefined) return
      const { query = {}, ...selection } = { ...chosen } as Partial<Call['body']> & { query?: object }
      const locale = i18n.locale as Locale
      await exportsApi.createExport({
        query: query as Call['query'],
        body: { ...selection, contents, part_megabytes: size, locale, ...why },
      })
    }),
  })
  const hasFiles = contents.includes('originals') || contents.includes('playable')
  return (
    <>
      <Text size="sm">
        <ChosenText chosen={chosen} />{' '}
        <Trans>The audit log records each recording when it is downloaded.</Trans>
      </Text>
      <Checkbox.Group
        label={t`Contents`}
        value={contents}
        onChange={(next) => setContents(next as ExportContent[])}
        error={!hasFiles && t`Choose originals or playable copies.`}
      >
        <Group gap="8px 20px" mt={6}>
          <Checkbox value="originals" label={t`Originals`} />
          <Checkbox value="playable" label={t`Playable copies (MP3, MP4)`} />
          <Checkbox value="csv" label={t`Metadata (CSV)`} />
          <Checkbox value="json" label={t`Metadata (JSON)`} />
          <Checkbox value="report" label={t`Report in plain words (HTML, prints as PDF)`} />
          <Checkbox value="evidence" label={t`Evidence for courts (audit trail, custody, proofs)`} />
        </Group>
      </Checkbox.Group>
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
        <Button
          loading={making.isPending}
          disabled={!hasFiles}
          onClick={() => making.mutate()}
          data-autofocus
        >
          <Trans>Create export</Trans>
        </Button>
      </Group>
    </>
  )
}
