import type { ClientApp } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Moment, Plain } from '../../components/cells.tsx'
import classes from './apps.module.css'

interface CellProps {
  row: ClientApp
}

export function NetworksCell({ row }: CellProps) {
  const { t } = useLingui()
  return row.cidr_ranges.length === 0 ? (
    <span className={classes.faint}>{t`Any`}</span>
  ) : (
    <Plain value={row.cidr_ranges.join(', ')} />
  )
}

export const SeenCell = ({ row }: CellProps) =>
  row.last_seen === null ? (
    <span className={classes.faint}>
      <Trans>Never</Trans>
    </span>
  ) : (
    <Moment at={row.last_seen} />
  )
