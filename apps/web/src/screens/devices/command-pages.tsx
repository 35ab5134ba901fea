import { type DeviceCommand, type Page, PAGE_LIMIT, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, useEffect, useMemo } from 'react'
import { readAgain } from '../../api/after-change.ts'
import { getKey, repeatedRead } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { deviceTab } from '../../components/devices/device-at.ts'
import { ownerColumns } from '../../components/devices/owners.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { personPicker } from '../../components/pickers.ts'
import { DEVICE_FILTER, GROUP_FILTER } from '../../components/record-filters.ts'
import { COMMAND_STATE_WORDS, COMMAND_WORDS } from '../../components/words/device-command-words.ts'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { authorName } from '../../ui/visible.ts'
import { CommandStateBadge } from './command-state.tsx'

const column = getColumns<DeviceCommand>()
const COLUMNS = {
  sent: column.moment('sent_at', msg({ context: 'command', message: 'Sent' }), {
    stacked: 'line',
    time: 'sent_at',
  }),
  command: column.drawn('command', msg`Command`, CommandCell, { width: 196, grow: 1, stacked: 'lead' }),
  state: column.drawn('state', msg`State`, ({ row }) => <CommandStateBadge state={row.state} />, {
    width: 126,
    stacked: 'end',
  }),
  ended: column.moment('completed_at', msg({ context: 'command', message: 'Ended' }), { none: msg`Not yet` }),
  raised_by: column.text('raised_by', msg`Sent by`, (row) => authorName(row, 'raised_by'), {
    width: 96,
    grow: 0.6,
  }),
  device: { ...ownerColumns<DeviceCommand>().device, width: 210, grow: 2, stacked: 'line' } as const,
  group: column.group('group', msg`Group`, { width: 104, grow: 0.4 }),
  message: column.text('message', msg`Phone response`, { width: 110, grow: 0.5 }),
  reference: column.reference('reference', msg`Reference`, (row) => row.command_reference, {
    width: 104,
    isOptional: true,
  }),
}

function CommandCell({ row: { command } }: { row: DeviceCommand }) {
  const { i18n } = useLingui()
  const word = i18n._(COMMAND_WORDS[command])
  return <strong title={`${word} (${command})`}>{word}</strong>
}

const FILTERS = [
  wordFilter('commands', msg`Command`, COMMAND_WORDS),
  wordFilter('states', msg`State`, COMMAND_STATE_WORDS),
  { name: 'raised_by', kind: 'pick', isSingle: true, label: msg`Sent by`, picker: personPicker },
] as const

const shared = {
  key: Ulid,
  title: msg`Commands`,
  icon: 'arrow-up',
  part: { tab: 'commands' },
  dates: [{ value: 'sent_at', label: msg({ context: 'command', message: 'Sent' }) }],
  views: [{ name: 'open', label: msg`Pending`, search: { states: ['Sent', 'Acknowledged'] } }],
  noMatch: msg`No commands match`,
  getKey: (row: DeviceCommand) => row.command_reference,
  rowTitle: (row: DeviceCommand, i18n: { _: (word: (typeof COMMAND_WORDS)['sync_data']) => string }) =>
    i18n._(COMMAND_WORDS[row.command]),
  Preview: lazy(() => import('./command-preview.tsx')),
  // Online devices execute commands within seconds.
  newsEveryMs: 5000,
} as const

/** Commands of all devices, as a tab. */
const commands = defineList({
  ...shared,
  name: 'commands',
  call: 'listCommands',
  api: fleetApi,
  to: '/dashboard/devices',
  columns: [
    COLUMNS.sent,
    COLUMNS.command,
    COLUMNS.state,
    COLUMNS.device,
    COLUMNS.group,
    COLUMNS.raised_by,
    COLUMNS.ended,
    COLUMNS.message,
    COLUMNS.reference,
  ],
  filters: [...FILTERS, GROUP_FILTER, DEVICE_FILTER],
  empty: {
    title: msg`No commands yet`,
    description: msg`Commands to phones and their results appear here.`,
  },
})

/** Commands of one device, as a tab of its page. */
function commandsOfDevice(device_reference: string) {
  return defineList({
    ...shared,
    name: `commands of device ${device_reference}`,
    kind: 'commands-of-device',
    call: 'listCommandsOfDevice',
    api: fleetApi,
    path: { device_reference },
    ...deviceTab(device_reference, 'commands'),
    columns: [
      COLUMNS.sent,
      COLUMNS.command,
      COLUMNS.state,
      COLUMNS.raised_by,
      COLUMNS.ended,
      COLUMNS.message,
      COLUMNS.reference,
    ],
    filters: FILTERS,
    empty: {
      title: msg`No commands yet`,
      description: msg`Commands to this phone and their results appear here.`,
    },
  })
}

/** Poll interval of devices with open commands, in milliseconds. */
const LOOK_MS = 2000

/** Refetches visible commands when an open one changes state, for one device or all. */
function useFollowedCommands(device_reference?: string): void {
  const call = device_reference === undefined ? 'listCommands' : 'listCommandsOfDevice'
  const { data } = useQuery({
    queryKey: getKey(call, 'open', device_reference),
    queryFn: async (context) => {
      const options = repeatedRead(context)
      const query = { states: ['Sent', 'Acknowledged'], limit: PAGE_LIMIT } as const
      const asked = { query: { ...query, states: [...query.states] } }
      const page = await (device_reference === undefined
        ? fleetApi.listCommands(asked, options)
        : fleetApi.listCommandsOfDevice({ ...asked, params: { device_reference } }, options))
      return (page as Page<DeviceCommand>).data.map((each) => `${each.command_reference} ${each.state}`)
    },
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? LOOK_MS : false),
    meta: { silent: true },
  })
  const open = data?.join()
  useEffect(() => {
    if (open !== undefined) readAgain(call)
  }, [open, call])
}

/** Commands of one device, updated live. */
export function CommandsOfDevice({ reference, head }: { reference: string; head: ReactNode }) {
  useFollowedCommands(reference)
  const list = useMemo(() => commandsOfDevice(reference), [reference])
  return <ListPage list={list} head={head} />
}

/** Commands of all visible devices, updated live. */
export function Commands() {
  useFollowedCommands()
  return <ListPage list={commands} />
}
