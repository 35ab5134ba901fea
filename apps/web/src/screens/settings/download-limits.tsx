import { AccessReason, type AccountDefaultsInput, REASONS_LIMIT } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { NumberInput, SimpleGrid, Switch, TagsInput, Text } from '@mantine/core'
import { readOnlyLook } from '../../ui/form/read-only.ts'

const LIMITS = ['play_limit', 'download_limit', 'export_limit'] as const
type Limit = (typeof LIMITS)[number]
type Values = Pick<AccountDefaultsInput, Limit | 'asks_reason' | 'reasons'>

/** Daily download limits for alerts, and whether users must give reasons. */
export function DownloadLimits(props: {
  labels: Readonly<Record<keyof Values, string>>
  values: Values
  set: (change: Partial<Values>) => void
  errorAt: (path: string) => string | undefined
  isReadOnly: boolean
}) {
  const { labels, values, set, errorAt, isReadOnly } = props
  const { t } = useLingui()
  const { asks_reason = false, reasons = [] } = values
  const reasonsError = errorAt('reasons') ?? reasons.map((_, i) => errorAt(`reasons.${i}`)).find(Boolean)
  return (
    <>
      <div>
        <Text size="sm" c="dimmed" mb={8}>
          <Trans>
            A security alert is raised when a person reaches these daily numbers (UTC) and triples their
            busiest day of the past month, at the latest at three times these numbers.
          </Trans>
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          {LIMITS.map((each) => (
            <NumberInput
              key={each}
              label={labels[each]}
              description={t`By one person in a day`}
              value={values[each] ?? ''}
              onChange={(value) => set({ [each]: value === '' ? undefined : value } as Partial<Values>)}
              min={1}
              max={1_000_000}
              allowDecimal={false}
              error={errorAt(each)}
              {...readOnlyLook(isReadOnly)}
            />
          ))}
        </SimpleGrid>
      </div>
      <Switch
        label={labels.asks_reason}
        checked={asks_reason}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) => set({ asks_reason: checked })}
        description={t`Downloads and exports need a reason, which the audit log records.`}
      />
      {asks_reason && (
        <TagsInput
          label={labels.reasons}
          description={t`Reasons to choose from; empty: free text`}
          value={[...reasons]}
          onChange={(next) =>
            set({ reasons: next.map((each) => each.trim()).filter((each) => isReason(each)) })
          }
          maxTags={REASONS_LIMIT}
          error={reasonsError}
          {...readOnlyLook(isReadOnly)}
        />
      )}
    </>
  )
}

const isReason = (text: string): boolean => AccessReason.safeParse(text).success
