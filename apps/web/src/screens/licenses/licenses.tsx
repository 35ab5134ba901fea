import {
  DEVICE_SERVICES,
  type DeviceService,
  licenseEndpoints,
  type Licenses as LicensesAnswer,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Paper, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { portalClient } from '../../api/api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { Marked } from '../../components/cells.tsx'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName } from '../../ui/visible.ts'
import { licenseLevel } from './license-level.ts'
import classes from './licenses.module.css'

const licensesApi = portalClient(licenseEndpoints, {})

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

const licensesQuery = callQuery(licensesApi, 'readLicenses')

/** `/dashboard/account/licenses`: devices and limit per service. */
export function Licenses() {
  const { t } = useLingui()
  return (
    <Stack maw={860}>
      <PageHeader
        title={t`Licences`}
        description={
          <Trans>
            Each activated device uses one licence per active service. Existing recording continues; only new
            activations need a free licence.
          </Trans>
        }
      />
      <QueryResult query={useQuery(licensesQuery)} height={420}>
        {(licenses) => <LicenseTable licenses={licenses} />}
      </QueryResult>
    </Stack>
  )
}

function LicenseTable({ licenses }: { licenses: LicensesAnswer }) {
  const { t, i18n } = useLingui()
  const { used, limits } = licenses
  return (
    <Paper p="md">
      <DataTable
        caption={t`Licences`}
        rows={DEVICE_SERVICES}
        getKey={(service) => service}
        columns={[
          {
            label: t`Service`,
            cell: (service) => (
              <span className={classes.service}>
                <Icon name={SERVICE_ICONS[service]} size={16} />
                {i18n._(SERVICE_WORDS[service])}
              </span>
            ),
          },
          {
            label: t`Share`,
            width: '34%',
            cell: (service) => <Share used={used[service]} limit={limits[service]} />,
          },
          { label: t`Used`, count: (service) => used[service] },
          { label: t`Limit`, count: (service) => limits[service] },
          { label: t`Status`, cell: (service) => <Status used={used[service]} limit={limits[service]} /> },
        ]}
      />
      {licenses.updated_at !== null && (
        <Text size="sm" c="dimmed" mt="sm">
          <Trans>
            Limits set by {authorName(licenses, 'updated_by') || '–'} on <Time at={licenses.updated_at} />.
            Your provider manages them.
          </Trans>
        </Text>
      )}
    </Paper>
  )
}

const BAR_COLORS = { none: 'gray', fine: 'blue', nearly: 'orange', full: 'red', over: 'red' } as const

interface Usage {
  used: number
  limit: number
}

const Share = ({ used, limit }: Usage) => {
  const level = licenseLevel(used, limit)
  return (
    <Progress
      value={level === 'none' ? 0 : Math.min(100, (used / Math.max(limit, 1)) * 100)}
      color={BAR_COLORS[level]}
      size={8}
      radius="xl"
      mt={8}
      aria-hidden
    />
  )
}

function Status({ used, limit }: Usage) {
  const { t, i18n } = useLingui()
  const share = limit === 0 ? 0 : used / limit
  // Rounded down: 99.6 % is not full.
  const percent = i18n.number(Math.floor(share * 100) / 100, { style: 'percent', maximumFractionDigits: 0 })
  switch (licenseLevel(used, limit)) {
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
