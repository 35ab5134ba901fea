import type { HolderDecision, HolderRow, HoldersAnswer, Device } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { faultText } from '../../api/failure-text.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { loadProblems } from '../../api/problem-phrases.ts'
import { UserSelect } from '../../components/devices/user-select.tsx'
import type { MatchingRows } from '../../components/lists/list-definition.ts'
import { GroupName, personName } from '../../components/names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { visible } from '../../ui/visible.ts'

interface DecideProps {
  rows: readonly HolderRow[]
  /** All pending devices that match the filters, instead of `rows`. */
  matching?: MatchingRows | undefined
  decision: HolderDecision
  /** Holder that the one device claims. */
  asked?: string | null
  isOne?: boolean
  onClose: () => void
  onDone: () => void
}

/** Review of the decision, and the decision. Stays open when a device was refused. */
function useDecision(
  { rows, matching, decision, isOne = false, onDone }: DecideProps,
  holder: string | null,
) {
  const { t } = useLingui()
  const isConfirm = decision === 'confirm'
  const wanted =
    isOne && isConfirm && holder !== null
      ? rows.map((row) => ({ ...row, device_user_reference: holder }))
      : rows
  const body = { decision, ...(!matching && { rows: [...wanted] }) }
  const query = matching?.getQuery() ?? {}
  const review = useQuery({
    ...callQuery(fleetApi, 'reviewDeviceHolders', { query, body }),
    gcTime: 0,
  })
  const apply = useMutation({
    mutationFn: () => (isOne ? decideOne(decision, wanted) : fleetApi.decideDeviceHolders({ query, body })),
    onSuccess: ({ rows: result, is_cut }) => {
      if (is_cut) noticeDone(t`More devices match: this is the limit of one operation.`)
      const done = result.filter(({ outcome }) => outcome === 'decided').length
      if (done < result.length) return
      noticeDone(
        isConfirm
          ? t`${plural(done, { one: '# device confirmed', other: '# devices confirmed' })}`
          : t`${plural(done, { one: '# device rejected', other: '# devices rejected' })}`,
      )
      onDone()
    },
  })
  return { review, apply }
}

/** Effect of a decision per device before it is made; afterwards the outcomes, where some failed. */
export default function DecideDialog(props: DecideProps) {
  const { t } = useLingui()
  const { rows, matching, decision, isOne = false, onClose, onDone } = props
  const [holder, setHolder] = useState(props.asked ?? null)
  const { review, apply } = useDecision(props, holder)
  const isConfirm = decision === 'confirm'
  const count = (apply.data ?? review.data)?.rows.length ?? matching?.total?.total ?? rows.length
  const getOutcomes = (result: readonly Outcome['result'][]) =>
    result.map((each, i) => ({ row: (!matching && rows[i]) || {}, result: each }))
  return (
    <Dialog
      onClose={apply.data ? onDone : onClose}
      size="lg"
      title={
        isConfirm ? (
          <Plural
            value={count}
            one="Confirm the holder of this device"
            other="Confirm the holders of # devices"
          />
        ) : (
          <Plural value={count} one="Reject this device" other="Reject # devices" />
        )
      }
    >
      <Stack>
        {isConfirm ? <ConfirmationNote /> : <RejectionNote />}
        {isOne && isConfirm && (
          <UserSelect
            label={t`Holder`}
            description={t`Reported holder, or another person`}
            none={t`Previous holder, or none`}
            value={holder}
            onChange={setHolder}
          />
        )}
        {apply.data ? (
          <Alert color="orange" role="alert" icon={<Icon name="warning" />}>
            <Trans>Not all were decided.</Trans>
          </Alert>
        ) : null}
        <QueryResult query={review} rows={Math.min(count, 5)}>
          {({ rows: result }) => (
            <HolderOutcomes
              outcomes={getOutcomes(apply.data?.rows ?? result)}
              isDone={apply.data !== undefined}
            />
          )}
        </QueryResult>
        <DecideFoot
          isConfirm={isConfirm}
          isDone={apply.data !== undefined}
          isPossible={review.data?.rows.some(({ outcome }) => outcome === 'decided') ?? false}
          isBusy={apply.isPending}
          onDecide={() => apply.mutate()}
          onClose={onClose}
          onDone={onDone}
        />
      </Stack>
    </Dialog>
  )
}

function DecideFoot(props: {
  isConfirm: boolean
  isDone: boolean
  /** Whether any device can be decided. */
  isPossible: boolean
  isBusy: boolean
  onDecide: () => void
  onClose: () => void
  onDone: () => void
}) {
  return (
    <Group justify="flex-end" gap="xs">
      {props.isDone ? (
        <Button onClick={props.onDone} data-autofocus>
          <Trans>Close</Trans>
        </Button>
      ) : (
        <>
          <Button variant="default" onClick={props.onClose} data-autofocus>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            color={props.isConfirm ? undefined : 'red'}
            disabled={!props.isPossible}
            loading={props.isBusy}
            onClick={props.onDecide}
          >
            {props.isConfirm ? (
              <Trans context="device">Confirm</Trans>
            ) : (
              <Trans context="device">Reject</Trans>
            )}
          </Button>
        </>
      )}
    </Group>
  )
}

/** Logged as an action of its own. */
async function decideOne(decision: HolderDecision, rows: readonly HolderRow[]): Promise<HoldersAnswer> {
  const [{ device_reference = '', device_user_reference } = {}] = rows
  const body = { decision, ...(device_user_reference && { device_user_reference }) }
  const device = await fleetApi.confirmDeviceHolder({ params: { device_reference }, query: {}, body })
  return { rows: [{ outcome: 'decided', device, faults: [] }], is_cut: false }
}

const ConfirmationNote = () => (
  <List size="sm" spacing={4}>
    <List.Item>
      <Trans>The device belongs to this person and records their services.</Trans>
    </List.Item>
    <List.Item>
      <Trans>Uploads during the wait move to this person and group. Earlier ones stay.</Trans>
    </List.Item>
    <List.Item>
      <Trans>A device with its serial number or IMEI is deactivated and replaced.</Trans>
    </List.Item>
  </List>
)

const RejectionNote = () => (
  <List size="sm" spacing={4}>
    <List.Item>
      <Trans>
        A device that only requested another holder returns to its previous one, with its uploads.
      </Trans>
    </List.Item>
    <List.Item>
      <Trans>
        Any other device is blocked until an administrator unblocks it. Its uploads are kept separately.
      </Trans>
    </List.Item>
    <List.Item>
      <Trans>A device with its reported serial number or IMEI stays unchanged.</Trans>
    </List.Item>
  </List>
)

// The call answers rejected rows one by one.
void loadProblems()

type Result = HoldersAnswer['rows'][number]
export interface Outcome {
  row: HolderRow
  result: Result
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
        getKey={({ place }) => String(place)}
        columns={[
          ...(hasLines ? [{ label: t`Line`, cell: ({ line }: Outcome) => line }] : []),
          { label: t`Device`, cell: (each) => <DeviceLabel outcome={each} /> },
          { label: t`Effect`, cell: ({ result }) => <DeviceAfterwards result={result} /> },
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

function DeviceLabel({ outcome: { row, result } }: { outcome: Outcome }) {
  const { device } = result
  const name = device?.serial_number ?? device?.model ?? row.serial_number ?? row.device_reference
  return <span title={device?.device_reference ?? row.device_reference}>{visible(name || '–')}</span>
}

function DeviceAfterwards({ result }: { result: Result }) {
  const { t, i18n } = useLingui()
  const { device, problem, faults } = result
  if (device) return <RemovedDevice device={device} />
  const why =
    problem === 'changed_meanwhile'
      ? t`No longer pending`
      : problem
        ? faultText({ code: problem, path: '', message: problem }, i18n)
        : faults.map((each) => faultText(each, i18n)).join('\n')
  return <strong>{t`Refused: ${why}`}</strong>
}

function RemovedDevice({ device }: { device: Device }) {
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
