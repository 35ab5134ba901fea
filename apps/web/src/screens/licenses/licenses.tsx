import { DEVICE_SERVICES, type DeviceService, type Licenses as LicensesAnswer } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Paper, Progress, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { Marked } from '../../components/cells.tsx'
import { type LicenseLevel, licenseLevel } from './license-level.ts'
import classes from './licenses.module.css'
import { SERVICE_WORDS } from '../../components/words/device-words.ts'

/** Icon of each service that a device can have on (spec section 3). */
const SERVICE_ICONS: Readonly<Record<DeviceService, IconName>> = {
  calls: 'phone',
  interviews: 'microphone',
  gps: 'pin',
  photos: 'image',
  mms: 'messages',
  rcs: 'messages',
  sms: 'message',
  videos: 'video',
}

const licensesQuery = queryOptions({
  queryKey: keyOf('readLicenses'),
  queryFn: ({ signal }) => api.readLicenses({ query: {} }, { signal }),
})

/** `/dashboard/account/licenses`: devices and limit per service. */
export function Licenses() {
  const { t } = useLingui()
  return (
    <Stack gap="md" maw={860}>
      <PageHeader
        title={t`Licences`}
        description={
          <Trans>
            Each activated device uses one licence per active service. Existing recording continues; only new
            activations need a free licence.
          </Trans>
        }
      />
      <Loaded query={useQuery(licensesQuery)} height={420}>
        {(licenses) => <LicenseTable licenses={licenses} />}
      </Loaded>
    </Stack>
  )
}

function LicenseTable({ licenses }: { licenses: LicensesAnswer }) {
  const { t } = useLingui()
  return (
    <Paper p="md">
      <Table verticalSpacing={10} horizontalSpacing="xs" className={classes.table}>
        <Table.Caption p={0} m={0}>
          <VisuallyHidden>{t`Licences`}</VisuallyHidden>
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Trans>Service</Trans>
            </Table.Th>
            <Table.Th visibleFrom="sm">
              <Trans>Share</Trans>
            </Table.Th>
            <Table.Th ta="right">
              <Trans>Used</Trans>
            </Table.Th>
            <Table.Th ta="right">
              <Trans>Limit</Trans>
            </Table.Th>
            <Table.Th>
              <Trans>Status</Trans>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {DEVICE_SERVICES.map((service) => (
            <Service
              key={service}
              service={service}
              used={licenses.used[service]}
              limit={licenses.limits[service]}
            />
          ))}
        </Table.Tbody>
      </Table>
      {licenses.updated_at !== null && (
        <Text size="sm" c="dimmed" mt="sm">
          <Trans>
            Limits set by {licenses.updated_by ?? '–'} on <Time at={licenses.updated_at} />. Your provider
            manages them.
          </Trans>
        </Text>
      )}
    </Paper>
  )
}

const BAR_COLORS = { none: 'gray', fine: 'blue', nearly: 'orange', full: 'red', over: 'red' } as const

function Service({ service, used, limit }: { service: DeviceService; used: number; limit: number }) {
  const { i18n } = useLingui()
  const level = licenseLevel(used, limit)
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={600}>
        <span className={classes.service}>
          <Icon name={SERVICE_ICONS[service]} size={16} />
          {i18n._(SERVICE_WORDS[service])}
        </span>
      </Table.Th>
      <Table.Td visibleFrom="sm" className={classes.bar}>
        <Progress
          value={level === 'none' ? 0 : Math.min(100, (used / Math.max(limit, 1)) * 100)}
          color={BAR_COLORS[level]}
          size={8}
          radius="xl"
          aria-hidden
        />
      </Table.Td>
      <Table.Td ta="right" fw={650} className="tabular">
        {i18n.number(used)}
      </Table.Td>
      <Table.Td ta="right" className="tabular">
        {i18n.number(limit)}
      </Table.Td>
      <Table.Td>
        <Status level={level} share={limit === 0 ? 0 : used / limit} />
      </Table.Td>
    </Table.Tr>
  )
}

function Status({ level, share }: { level: LicenseLevel; share: number }) {
  const { t, i18n } = useLingui()
  // Rounded down: 99.6 % is not full.
  const percent = i18n.number(Math.floor(share * 100) / 100, { style: 'percent', maximumFractionDigits: 0 })
  switch (level) {
    case 'none':
      return <Marked icon="x" tone="calm">{t`Not licensed`}</Marked>
    case 'fine':
      return <Marked icon="check" tone="good">{t`${percent} used`}</Marked>
    case 'nearly':
      return <Marked icon="warning" tone="warn">{t`Nearly used up: ${percent}`}</Marked>
    case 'full':
      return <Marked icon="alert-circle" tone="bad">{t`Used up`}</Marked>
    case 'over':
      return <Marked icon="alert-circle" tone="bad">{t`Over the limit`}</Marked>
  }
}
