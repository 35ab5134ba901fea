import { type TransferConfig, TransferConfigReference } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { linkOptions } from '@tanstack/react-router'
import { transfersApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { getColumns, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import {
  getTarget,
  TRANSFER_FORMAT_WORDS,
  TRANSFER_TYPE_WORDS,
} from '../../components/transfers/transfer-words.ts'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { ScheduleWords } from './transfer-state.tsx'

const column = getColumns<TransferConfig>()

const configs = defineList({
  name: 'transfer-configs',
  call: 'listTransferConfigs',
  api: transfersApi,
  to: '/dashboard/account/transfers',
  part: { tab: 'configs' },
  key: TransferConfigReference,
  title: msg`Transfers`,
  icon: 'external',
  columns: [
    column.name('reference', msg`Configuration`, (row) => row.transfer_config_reference, {
      width: 170,
      grow: 2,
    }),
    column.drawn('is_active', msg`State`, ({ row }) => <ConfigState config={row} />, {
      width: 120,
      stacked: 'end',
    }),
    column.word(
      'type',
      msg({ context: 'transfer', message: 'What' }),
      TRANSFER_TYPE_WORDS,
      (row) => row.transfer_type,
      { width: 120, stacked: 'line' },
    ),
    column.text('target', msg`Target`, (row) => getTarget(row.params), { width: 200, grow: 1 }),
    column.word('format', msg`Format`, TRANSFER_FORMAT_WORDS, (row) => row.transfer_file_format, {
      width: 150,
    }),
    column.drawn('schedule', msg`Schedule`, ({ row }) => <ScheduleWords schedule={row.schedule} />, {
      width: 170,
    }),
    column.moment('next', msg`Next run`, (row) => row.next_runs[0] ?? null),
    ...savedColumns<TransferConfig>(),
  ],
  filters: [{ kind: 'search', name: 'search', label: msg`Search`, placeholder: msg`Name` }],
  noMatch: msg`No configurations match`,
  empty: {
    title: msg`No configurations yet`,
    description: msg`A configuration defines what is delivered to your own storage, where, how and when.`,
  },
  isUnchanged: true,
  getKey: (row) => row.transfer_config_reference,
  rowTitle: (row) => row.transfer_config_reference,
  detail: ({ transfer_config_reference }) =>
    linkOptions({
      to: '/dashboard/account/transfers/config',
      search: { reference: transfer_config_reference },
    }),
  primaryAction: <CreateConfig />,
})

/** Transfer configs of the account, by name. */
export const ConfigsList = () => <ListPage list={configs} />

/** Link to a new config. */
export function CreateConfig() {
  if (!useMay()('transfer_configs:create')) return null
  return (
    <LinkButton
      leftSection={<Icon name="plus" size={16} />}
      to="/dashboard/account/transfers/config"
      search={{}}
    >
      <Trans>Add a configuration</Trans>
    </LinkButton>
  )
}

/** Whether a config runs. */
export function ConfigState({ config: { is_active: isActive } }: { config: TransferConfig }) {
  const { t } = useLingui()
  return (
    <Badge color={isActive ? 'teal' : 'gray'}>
      {isActive ? t({ context: 'transfer', message: 'On' }) : t({ context: 'transfer', message: 'Off' })}
    </Badge>
  )
}
