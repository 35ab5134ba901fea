import { type Device, type HolderRow, type HoldersAnswer } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { faultText } from '../../api/failure-text.ts'
import { loadProblems } from '../../api/problem-phrases.ts'
import { GroupName, personName } from '../../components/names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { visible } from '../../ui/visible.ts'

// The call answers rejected rows one by one.
void loadProblems()

type Result = HoldersAnswer['rows'][number]
export interface Outcome {
  row: HolderRow
  result: Result
  /** Line of the file. */
  line?: number
}

/** Maximum rows shown; others are counted. */
const SHOWN = 100

/** Effect or outcome of a decision per device; rejections first. */
export function HolderOutcomes({ outcomes, isDone }: { outcomes: readonly Outcome[]; isDone: boolean }) {
  const { t } = useLingui()
  const refused = outcomes.filter(({ result }) => result.outcome === 'refused')
  const sorted = [...refused, ...outcomes.filter(({ result }) => result.outcome !== 'refused')]
  const decided = outcomes.length - refused.length
  const hasLines = outcomes.some(({ line }) => line !== undefined)
  return (
    <>
      <Text fw={600} aria-live="polite">
        {isDone ? (
          <Plural value={decided} one="# decided" other="# decided" />
        ) : (
          <Plural value={decided} one="# can be decided" other="# can be decided" />
        )}
        {refused.length > 0 && ' · '}
        {refused.length > 0 && <Plural value={refused.length} one="# refused" other="# refused" />}
      </Text>
      <DataTable
        caption={t`Effect on each device`}
        rows={sorted.slice(0, SHOWN).map((each, place) => ({ ...each, place }))}
        keyOf={({ place }) => String(place)}
        columns={[
          ...(hasLines ? [{ id: 'line', label: t`Line`, cell: ({ line }: Outcome) => line }] : []),
          { id: 'device', label: t`Device`, cell: (each) => <Named outcome={each} /> },
          { id: 'becomes', label: t`Effect`, cell: ({ result }) => <Becomes result={result} /> },
        ]}
      />
      {sorted.length > SHOWN && (
        <Text size="sm" c="dimmed">
          <Plural value={sorted.length - SHOWN} one="# more device" other="# more devices" />
        </Text>
      )}
    </>
  )
}

function Named({ outcome: { row, result } }: { outcome: Outcome }) {
  const { device } = result
  const name = device?.serial_number ?? device?.model ?? row.serial_number ?? row.device_reference
  return <span title={device?.device_reference ?? row.device_reference}>{visible(name || '–')}</span>
}

function Becomes({ result }: { result: Result }) {
  const { t, i18n } = useLingui()
  const { device, problem, faults } = result
  if (device) return <Goes device={device} />
  const why =
    problem === 'changed_meanwhile'
      ? t`No longer pending`
      : problem
        ? faultText({ code: problem, path: '', message: problem }, i18n)
        : faults.map((each) => faultText(each, i18n)).join('\n')
  return <strong>{t`Refused: ${why}`}</strong>
}

function Goes({ device }: { device: Device }) {
  const { group, device_user_reference, device_state } = device
  if (device_state === 'blocked') return <Trans>Blocked; its uploads are kept separately</Trans>
  const who = visible(personName(device) || device_user_reference || '')
  return who ? (
    <Trans>
      Goes to {who}, group <GroupName group={visible(group)} />
    </Trans>
  ) : (
    <Trans>
      Unassigned, group <GroupName group={visible(group)} />
    </Trans>
  )
}
