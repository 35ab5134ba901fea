import type { Silence, SupportAccess, Total } from '@custodia/contract'
import { stateAt } from '@custodia/domain/can'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { linkOptions } from '@tanstack/react-router'
import { alertSummaryQuery, dashboardQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { countsBySeverity } from '../../components/alerts/severity.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { PAYLOAD_STATE_WORDS } from '../../components/words/payload-words.ts'
import type { IconName } from '../../ui/icon.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { useNow } from '../../ui/use-now.ts'
import { visible } from '../../ui/visible.ts'
import { useNewHits } from '../payloads/new-hits.ts'
import { getList, type ScreenService, SERVICES } from '../payloads/services.ts'
import { ALERT_ACTIONS, type HomeTotals, supportQuery, useSeenServices } from './home-counts.ts'

/** A list with work, and its size. */
export interface WorkCount {
  to: LinkTarget
  /** Distinguishes the lists of one line; absent for a single one. */
  what?: string
  total: Total
  /** Reference of a single record: `what` names it, without a number. */
  record?: string
}

/** A kind of work, with its lists. */
export interface WorkItem {
  id: string
  icon: IconName
  label: string
  /** Red when work waits. */
  isGrave?: boolean
  /** Undefined while loading; null when the count failed. */
  counts: readonly WorkCount[] | undefined | null
}

const plain = (total: number): Total => ({ total })

/** One or several payloads of a service. */
const getWord = (service: ScreenService, { total }: Total) =>
  total === 1 ? SERVICES[service].one : SERVICES[service].title

/** One count of a dashboard figure. */
function useFigures() {
  const { data, error } = useQuery(dashboardQuery)
  return {
    data,
    /** Counts of these lists; undefined while loading, null after a failure. */
    of: (list: (figures: NonNullable<typeof data>) => WorkCount[]): WorkItem['counts'] =>
      data ? list(data) : error === null ? undefined : null,
  }
}

/** Recordings that did not arrive intact, the worst first. */
export function useFaultItems(): WorkItem[] {
  const { t, i18n } = useLingui()
  const { of } = useFigures()
  const seen = useSeenServices()
  if (seen.length === 0) return []
  const counts = (kind: 'altered' | 'quarantined' | 'failed', search: ListSearch) =>
    of(({ faults }) =>
      seen.map((service) => {
        const total = plain(faults?.find((each) => each.service === service)?.[kind] ?? 0)
        return { to: getList(service, search), what: i18n._(getWord(service, total)), total }
      }),
    )
  return [
    {
      id: 'altered',
      icon: 'shield-alert',
      label: t`Altered after recording`,
      isGrave: true,
      counts: counts('altered', { is_altered: true }),
    },
    {
      id: 'failed',
      icon: 'warning',
      label: i18n._(PAYLOAD_STATE_WORDS.Failed),
      isGrave: true,
      counts: counts('failed', { states: ['Failed'], is_altered: false }),
    },
    {
      id: 'quarantined',
      icon: 'lock',
      label: i18n._(PAYLOAD_STATE_WORDS.Quarantined),
      isGrave: true,
      counts: counts('quarantined', { states: ['Quarantined'] }),
    },
  ]
}

/** What is not recorded: gaps and silent devices. */
export function useCaptureItems(): WorkItem[] {
  const { t } = useLingui()
  const may = useMay()
  const { of } = useFigures()
  const devices = (...silences: readonly Silence[]) =>
    of((figures) => [
      {
        to: { to: '/dashboard/devices', search: { silences: [...silences] } },
        total: plain(silences.reduce((sum, silence) => sum + figures.silences[silence], 0)),
      },
    ])
  return [
    ...(may('capture_gaps:list')
      ? [
          {
            id: 'gaps',
            icon: 'x' as const,
            label: t`Open capture gaps`,
            isGrave: true,
            counts: of(({ capture_gaps }) => [
              {
                to: { to: '/dashboard/devices', search: { tab: 'capture', is_open: true } as never },
                total: plain(capture_gaps ?? 0),
              },
            ]),
          },
        ]
      : []),
    ...(may('devices:list')
      ? [
          {
            id: 'no-uploads',
            icon: 'wave' as const,
            label: t`Online devices without recordings`,
            isGrave: true,
            counts: devices('silent_but_alive'),
          },
          {
            id: 'silent',
            icon: 'moon' as const,
            label: t`Devices silent for at least a day`,
            counts: devices('silent', 'long_silent'),
          },
        ]
      : []),
  ]
}

/** Decisions of people: approvals, releases and requests. */
export function useDecisionItems(): WorkItem[] {
  const { t } = useLingui()
  const may = useMay()
  const { data, of } = useFigures()
  const one = (to: LinkTarget, total: number, what?: string): WorkCount[] => [
    { to, total: plain(total), ...(what !== undefined && { what }) },
  ]
  const isOffered = (right: boolean, count: unknown) => right && (data === undefined || count !== null)
  const items: (WorkItem & { isOffered: boolean })[] = [
    {
      id: 'approvals',
      icon: 'check-circle',
      label: t`Proposals awaiting approval`,
      isOffered: isOffered(may('account.proposals:update'), data?.waiting_proposals),
      counts: of(({ waiting_proposals }) =>
        one({ to: '/dashboard/governance/approvals', search: { state: 'waiting' } }, waiting_proposals ?? 0),
      ),
    },
    {
      id: 'destructions',
      icon: 'trash',
      label: t`Destructions awaiting release`,
      isOffered: isOffered(may('account.destructions:update'), data?.waiting_destructions),
      counts: of(({ waiting_destructions }) =>
        one({ to: '/dashboard/governance/destructions' }, waiting_destructions ?? 0),
      ),
    },
    {
      id: 'requests',
      icon: 'user',
      label: t`Data subject requests`,
      isOffered: isOffered(may('account.data_requests:list'), data?.data_requests),
      isGrave: (data?.data_requests?.overdue ?? 0) > 0,
      counts: of(({ data_requests }) => {
        const { open, overdue } = data_requests ?? { open: 0, overdue: 0 }
        const to: LinkTarget = { to: '/dashboard/governance/requests', search: { state: 'Open' } }
        return [
          ...one(to, overdue, t`${plural(overdue, { one: 'overdue', other: 'overdue' })}`),
          ...one(to, open - overdue, t`${plural(open - overdue, { one: 'open', other: 'open' })}`),
        ]
      }),
    },
    {
      id: 'devices',
      icon: 'device',
      label: t`Devices to confirm`,
      isOffered: isOffered(may('devices.holder:confirm') && may('devices:list'), data?.waiting_devices),
      counts: of(({ waiting_devices }) =>
        one({ to: '/dashboard/devices', search: { is_waiting: true } }, waiting_devices ?? 0),
      ),
    },
  ]
  return items.filter((item) => item.isOffered)
}

/** Days for which the home links what support did, and the number of links. */
const SUPPORT_DAYS = 7
const SUPPORT_LINKS = 3

/** Alerts, support access requests, and pages of what support did. */
export function useNoticeItems(): WorkItem[] {
  const { t, i18n } = useLingui()
  const now = useNow()
  const may = useMay()
  const maySupport = may('supportaccess:list')
  const mayAlerts = ALERT_ACTIONS.every(may)
  const support = useQuery({ ...supportQuery, enabled: maySupport })
  const sessions = (requests: readonly SupportAccess[]): WorkCount[] => {
    const to = '/dashboard/account/support-access'
    const recent = requests.filter(
      (row) => row.approved_by !== null && row.updated_at > now - SUPPORT_DAYS * 86_400,
    )
    if (recent.length === 0) return [{ to: { to }, total: plain(0) }]
    return recent
      .slice(0, SUPPORT_LINKS)
      .map(({ request_reference, requester_name, requested_by, requested_at }) => ({
        to: linkOptions({ to: `${to}/$request_reference`, params: { request_reference } }),
        what: `${visible(requester_name ?? requested_by)}, ${formatTime(requested_at, i18n.locale)}`,
        total: plain(1),
        record: request_reference,
      }))
  }
  const alerts = useQuery({ ...alertSummaryQuery, enabled: mayAlerts })
  const severities = alerts.data && countsBySeverity(alerts.data.data)
  return [
    ...(mayAlerts
      ? [
          {
            id: 'alerts',
            icon: 'bell' as const,
            label: t`Open incidents`,
            isGrave: (severities?.High ?? 0) > 0,
            counts: read(alerts, ({ data }) => {
              const { High, Medium, Low } = countsBySeverity(data)
              return {
                to: { to: '/dashboard/account/alerts' },
                total: plain(High + Medium + Low),
              }
            }),
          },
        ]
      : []),
    ...(maySupport
      ? [
          {
            id: 'support',
            icon: 'lifebuoy' as const,
            label: t`Support access requests`,
            counts: read(support, ({ data }) => ({
              to: { to: '/dashboard/account/support-access', search: { states: ['pending'] } },
              total: plain(data.filter((row) => stateAt(row, now) === 'pending').length),
            })),
          },
          {
            id: 'support sessions',
            icon: 'lifebuoy' as const,
            label: t`Support access, last 7 days`,
            counts: support.data ? sessions(support.data.data) : support.error === null ? undefined : null,
          },
        ]
      : []),
  ]
}

/** Saved searches that the reader watches, with their new results. */
export function useSearchItems(): WorkItem[] {
  const { t } = useLingui()
  return useNewHits().map(({ id, name, total, to }) => ({
    id: `hits ${id}`,
    icon: 'search',
    label: t`New hits for “${name}”`,
    counts: total ? [{ to, total }] : total,
  }))
}

const read = <Data>(
  { data, error }: { data: Data | undefined; error: unknown },
  count: (data: Data) => WorkCount,
): WorkItem['counts'] => (data === undefined ? (error === null ? undefined : null) : [count(data)])

/** Recordings of the last days that arrived late or have no mark. */
export function useReviewItems({ seen, getSearch, of }: HomeTotals): WorkItem[] {
  const { t, i18n } = useLingui()
  const may = useMay()
  const item = (kind: 'late' | 'unmarked', icon: IconName, label: string): WorkItem => {
    const totals = seen.map((service) => of(kind, service))
    return {
      id: kind,
      icon,
      label,
      counts: totals.includes(undefined)
        ? undefined
        : totals.includes(null)
          ? null
          : seen.map((service, i) => {
              const total = totals[i] ?? plain(0)
              return { to: getList(service, getSearch(kind)), what: i18n._(getWord(service, total)), total }
            }),
    }
  }
  if (seen.length === 0) return []
  return [
    item('late', 'clock', t`Late, last 30 days`),
    ...(may('payloads.marks:list') ? [item('unmarked', 'eye', t`Not reviewed, last 7 days`)] : []),
  ]
}
