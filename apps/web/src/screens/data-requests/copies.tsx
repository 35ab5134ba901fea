import type { DataRequestDetail } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../api/call-keys.ts'
import { exportsApi } from '../../api/payload-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName } from '../../ui/visible.ts'
import { ExportParts } from '../payloads/actions/export-parts.tsx'

/** Copies of a request; their author downloads the parts here until they expire. */
export function Copies({ copies }: { copies: DataRequestDetail['copies'] }) {
  const { t } = useLingui()
  const { data } = useQuery({
    ...callQuery(exportsApi, 'listExports'),
    enabled: useMay()('payloads.exports:list'),
    meta: { silent: true },
  })
  return (
    <Section title={t({ context: 'request of a person', message: 'Copies' })}>
      <Text size="sm" c="dimmed" mb="xs">
        <Trans>A copy excludes deleted recordings. Mention this in the answer, or restore them first.</Trans>
      </Text>
      <Stack>
        {copies.map(({ export_id, made_at, items, refused, deleted, is_cut, ...copy }) => {
          const mine = data?.data.find((each) => each.export_id === export_id)
          return mine ? (
            <Stack key={export_id} gap={4}>
              <ExportParts made={mine} />
              <LeftOutFile deleted={deleted} />
            </Stack>
          ) : (
            <Text key={export_id} size="sm" component="div">
              <Time at={made_at} style="second" /> · {authorName(copy, 'made_by')} ·{' '}
              <Plural value={items} one="# recording" other="# recordings" />
              {refused > 0 && (
                <>
                  {' · '}
                  <Plural value={refused} one="# without data" other="# without data" />
                </>
              )}
              {is_cut && (
                <>
                  {' · '}
                  <Trans>more than one copy can hold</Trans>
                </>
              )}
              <LeftOutFile deleted={deleted} />
            </Text>
          )
        })}
      </Stack>
    </Section>
  )
}

/** Number of recordings that were already deleted and are missing from the copy. */
const LeftOutFile = ({ deleted }: { deleted: number | null }) =>
  deleted !== null &&
  deleted > 0 && (
    <Text size="sm" c="orange" fw={500}>
      <Plural
        value={deleted}
        one="# deleted recording is not in this copy"
        other="# deleted recordings are not in this copy"
      />
    </Text>
  )
