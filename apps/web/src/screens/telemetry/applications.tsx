import type { Telemetry } from '@custodia/contract'
import { Plural, useLingui } from '@lingui/react/macro'
import { visible } from '../../ui/visible.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { formatSize } from '../payloads/formats.ts'
import classes from './telemetry.module.css'

interface Line {
  package_name: string
  simple_name?: string | undefined
  is_system_app?: boolean | undefined
  size?: number | undefined
  mobile: number
  wifi: number
}

/** Installed applications with their traffic, user-installed first, then by name. */
export function Applications({ report }: { report: Telemetry }) {
  const { t, i18n } = useLingui()
  const lines = linesOf(report)
  const count = lines.length
  const size = (bytes: number | undefined) => (bytes ? formatSize(bytes, i18n) : '–')
  return (
    <details>
      <summary className={classes.summary}>
        <Plural value={count} one="# application" other="# applications" />
      </summary>
      <DataTable
        caption={t`Installed applications`}
        rows={lines}
        keyOf={({ package_name }) => package_name}
        columns={[
          {
            label: t`Application`,
            cell: ({ simple_name, package_name }) => (
              <span title={visible(package_name)}>{visible(simple_name || package_name)}</span>
            ),
          },
          { label: t`System`, cell: ({ is_system_app }) => (is_system_app ? t`Yes` : t`No`) },
          { label: t`Size`, align: 'end', cell: (line) => size(line.size) },
          { label: t`Mobile data`, align: 'end', cell: ({ mobile }) => size(mobile) },
          { label: t`Wi-Fi`, align: 'end', cell: ({ wifi }) => size(wifi) },
        ]}
      />
    </details>
  )
}

/** Union of installed applications and those with traffic only. */
function linesOf({ installed_applications = [], app_network_statistics = [] }: Telemetry): Line[] {
  const lines = new Map<string, Line>(
    installed_applications.map((each) => [each.package_name, { ...each, mobile: 0, wifi: 0 }]),
  )
  for (const { package_name, ...traffic } of app_network_statistics) {
    const line = lines.get(package_name) ?? { package_name, mobile: 0, wifi: 0 }
    line.mobile += (traffic.mobile_received ?? 0) + (traffic.mobile_sent ?? 0)
    line.wifi += (traffic.wifi_received ?? 0) + (traffic.wifi_sent ?? 0)
    lines.set(package_name, line)
  }
  const nameOf = ({ simple_name, package_name }: Line) => simple_name || package_name
  return [...lines.values()].toSorted(
    (a, b) =>
      Number(a.is_system_app ?? false) - Number(b.is_system_app ?? false) ||
      nameOf(a).localeCompare(nameOf(b)),
  )
}
