import {
  isProposed,
  type Locale,
  type ProposalAnswer,
  RETENTION_TEMPLATES,
  RetentionInput,
  type RetentionPreview,
  type RetentionSettings,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Input, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { faultText } from '../../api/failure-text.ts'
import { noticeDoneOrProposed, retentionApi } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { periodWords } from '../../components/words/period-words.ts'
import { PageMenu } from '../../ui/act-button.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FormPage } from '../../ui/form/form-page.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { type DaysText, type Draft, getDraft, fieldAt, getInput, type Line } from './draft.ts'
import { ExecutionState, PauseAct } from './execution-state.tsx'
import { LatestTable, SHOWN } from './latest-table.tsx'
import { PolicyTable } from './policy-table.tsx'
import { BASIS_WORDS, changedWord, subjectWord } from './retention-words.ts'

const Forecast = lazy(() => import('./forecast.tsx'))
const SaveQuestion = lazy(() => import('./save-question.tsx'))

/** `/dashboard/governance/retention`: the policy, the preview of a change, the schedule, and earlier versions. */
export default function RetentionPage() {
  const { t } = useLingui()
  const mayChange = useMay()('account.retention:update')
  const query = useQuery({
    ...callQuery(retentionApi, 'readRetention'),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <>
      <PageHeader
        title={t`Retention`}
        description={t`Periods until deletion, which can be undone, and until permanent destruction. The server applies the policy automatically.`}
        actions={
          mayChange && (
            <PageMenu>
              <PauseAct />
            </PageMenu>
          )
        }
      />
      <ExecutionState />
      <QueryResult query={query} height={480}>
        {(settings) => (
          <PolicyForm key={settings.version} settings={settings} onReload={() => void query.refetch()} />
        )}
      </QueryResult>
      {/* Remounts for each saved policy. */}
      <Suspense fallback={<Skeleton h={400} my="md" />}>
        <Forecast key={query.data?.version} />
      </Suspense>
      <PolicyVersions />
    </>
  )
}

/** The question about a policy, and its answer. */
interface Question {
  body: RetentionInput
  first: RetentionPreview
}
type ConfirmationInput = Pick<RetentionInput, 'applies_to_kept' | 'note'>

/** The first save shows the preview; the second one, after its confirmation, saves. */
function usePolicyForm(settings: RetentionSettings) {
  const { t } = useLingui()
  const client = useQueryClient()
  const initial = getDraft(settings)
  const [question, setQuestion] = useState<Question>()
  const confirmed = useRef<ConfirmationInput>(undefined)
  const form = useForm<Draft, RetentionSettings | ProposalAnswer>({
    initial,
    stored: getStored(settings, () => retentionApi.readRetention({ query: {} }), getDraft),
    fixedLists: ['lines'],
    ...usePolicyWords(initial),
    check: (draft) =>
      shapeFaults(RetentionInput, getInput(draft)).map((fault) => ({
        ...fault,
        path: fieldAt(draft, fault.path),
      })),
    save: async (draft, version) => {
      const body = getInput(draft)
      const given = confirmed.current
      confirmed.current = undefined
      if (given !== undefined) {
        try {
          const query = { query: {}, body: { ...body, ...given } }
          return await retentionApi.saveRetention(query, { if_match: version })
        } finally {
          // The form shows the outcome, also a refusal.
          setQuestion(undefined)
        }
      }
      const { entries, minimums } = body
      const first = await retentionApi.reviewRetention({ query: {}, body: { entries, minimums } })
      setQuestion({ body, first })
      return undefined
    },
    onSaved: (answer) => {
      noticeDoneOrProposed(answer, t`Retention policy saved`)
      // What is only proposed does not apply yet.
      if (isProposed(answer)) form.restart(initial)
      // The form starts again with the answer at once: what is typed next is not lost to a later read.
      else client.setQueryData(getKey('readRetention'), answer)
    },
  })
  const confirm = (given: ConfirmationInput) => {
    if (form.isSaving) return
    confirmed.current = given
    form.submit()
  }
  return { ...form, question, confirm, cancel: () => setQuestion(undefined) }
}

/** Labels of a policy's fields, and how values read. */
function usePolicyWords(initial: Draft) {
  const { t, i18n } = useLingui()
  const days = (of: DaysText) => (typeof of === 'number' ? periodWords(of) : of)
  return {
    labels: {
      lines: t`Policy`,
      'lines.*': (number: number) =>
        subjectWord(i18n, initial.lines[number - 1] ?? { entity_type: 'Device' }),
      'lines.*.delete_days': t`Delete after`,
      'lines.*.destroy_days': t`Destroy after`,
      'lines.*.retention_timestamp': t`Counted from`,
      'lines.*.minimum_days': t`Legal minimum`,
      'lines.*.legal_basis': t`Legal basis`,
      'lines.*.required_receipts': t`Required receipts`,
      'lines.*.required_transfers': t`Required transfers`,
      entries: t`Policy`,
      minimums: t`Legal minimum`,
    },
    texts: {
      'lines.*.delete_days': days,
      'lines.*.destroy_days': days,
      'lines.*.minimum_days': days,
      'lines.*.retention_timestamp': (of: Line['retention_timestamp']) => i18n._(BASIS_WORDS[of]),
    },
  }
}

function PolicyForm({ settings, onReload }: { settings: RetentionSettings; onReload: () => void }) {
  const { t, i18n } = useLingui()
  const isReadOnly = !useMay()('account.retention:update')
  const form = usePolicyForm(settings)
  const { question } = form
  const { values } = form
  const numbered = values.lines.map((line, at) => ({ line, at }))
  const set = (at: number, change: Partial<Line>) =>
    form.set({ lines: values.lines.map((line, i) => (i === at ? { ...line, ...change } : line)) })
  const errorAt = (path: string) => {
    const texts = form.faults
      .filter((fault) => `${fieldAt(values, fault.path)}.`.startsWith(`${path}.`))
      .map((fault) => faultText(fault, i18n))
    return texts.length === 0 ? undefined : [...new Set(texts)].join(' ')
  }
  const table = { set, errorAt, isReadOnly }
  return (
    <Stack>
      <FormPage form={form} onReload={onReload} isReadOnly={isReadOnly}>
        <PageBody>
          {!isReadOnly && <TemplateChoice lines={values.lines} onFill={(lines) => form.set({ lines })} />}
          <Text size="sm" c="dimmed">
            <Trans>Empty: never; 0: immediately. With both, destruction counts from deletion.</Trans>
          </Text>
          <PolicyTable
            caption={t`Retention of recordings`}
            lines={numbered.filter(({ line }) => line.payload_type !== undefined)}
            {...table}
          />
          <PolicyTable
            caption={t`Retention of other records`}
            lines={numbered.filter(({ line }) => line.payload_type === undefined)}
            {...table}
          />
        </PageBody>
      </FormPage>
      {question && (
        <Suspense>
          <SaveQuestion {...question} onConfirm={form.confirm} onClose={form.cancel} />
        </Suspense>
      )}
    </Stack>
  )
}

/** Versions of the policy, newest first. */
function PolicyVersions() {
  const { t, i18n } = useLingui()
  const versions = useQuery(callQuery(retentionApi, 'listRetentionVersions', { query: { limit: SHOWN } }))
  return (
    <section aria-label={t`Versions`}>
      <Title order={2} mt="xl" mb="xs">
        <Trans>Versions</Trans>
      </Title>
      <LatestTable
        query={versions}
        none={<Trans>No policy yet. Everything is kept indefinitely.</Trans>}
        caption={t`Policy versions`}
        getKey={({ policy_version }) => String(policy_version)}
        columns={[
          { label: t`Version`, cell: (row) => i18n.number(row.policy_version) },
          { label: t`Saved`, cell: (row) => <Time at={row.updated_at} /> },
          {
            label: t`By`,
            cell: (row) =>
              [authorName(row, 'updated_by'), authorName(row, 'confirmed_by')].filter(Boolean).join(' + '),
          },
          {
            label: t`Changed`,
            cell: (row) => row.changed.map((each) => changedWord(i18n, each)).join('; ') || '–',
          },
          {
            label: t`Applies to existing records`,
            cell: (row) => (row.applies_to_kept ? t`Yes` : t`Only if longer`),
          },
          { label: t`Note`, cell: (row) => (row.note === null ? '–' : visible(row.note)) },
        ]}
      />
    </section>
  )
}

/** Days between deletion and destruction in templates: time to notice a mistake. */
const AFTERWARDS = 30

/** Fills the recordings' lines with a regulation's period, without saving. */
function TemplateChoice({ lines, onFill }: { lines: readonly Line[]; onFill: (lines: Line[]) => void }) {
  const { t, i18n } = useLingui()
  const [chosen, setChosen] = useState(0)
  const fill = () => {
    const template = RETENTION_TEMPLATES[chosen]
    if (!template) return
    onFill(
      lines.map((line) =>
        line.payload_type !== undefined && template.payload_types.includes(line.payload_type)
          ? {
              ...line,
              delete_days: Math.max(
                template.days,
                typeof line.minimum_days === 'number' ? line.minimum_days : 0,
              ),
              destroy_days: AFTERWARDS,
              retention_timestamp: 'payload_time',
            }
          : line,
      ),
    )
  }
  return (
    <Group align="flex-end" gap="xs">
      <Input.Wrapper
        label={t`Start with a legal period`}
        description={t`Ask your lawyers which rules apply`}
        id="retention-template"
      >
        <Input
          component="select"
          id="retention-template"
          pointer
          rightSection={<Icon name="chevron-down" size={14} />}
          rightSectionPointerEvents="none"
          value={chosen}
          onChange={({ currentTarget: { value } }) => setChosen(Number(value))}
        >
          {RETENTION_TEMPLATES.map(({ rule, words }, i) => (
            <option key={`${rule} ${words['en-GB']}`} value={i}>
              {`${rule}: ${words[i18n.locale as Locale]}`}
            </option>
          ))}
        </Input>
      </Input.Wrapper>
      <Button variant="default" onClick={fill}>
        <Trans>Fill in</Trans>
      </Button>
    </Group>
  )
}
