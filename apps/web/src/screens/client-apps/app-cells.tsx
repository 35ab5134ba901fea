import type { ClientApp } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Moment, Plain } from '../../components/cells.tsx'
import classes from './apps.module.css'

interface CellProps {
  row: ClientApp
}

export const NameCell = ({ row }: CellProps) => <strong title={row.app_reference}>{row.app_reference}</strong>
export const IssuerCell = ({ row }: CellProps) => <Plain value={row.oidc_config.issuer} />
export const AudienceCell = ({ row }: CellProps) => <Plain value={row.oidc_config.audience} />
export const KeysCell = ({ row }: CellProps) => <Plain value={row.oidc_config.jwks_uri} />
export const GroupCell = ({ row }: CellProps) => <Plain value={row.group} />
export const RolesCell = ({ row }: CellProps) => <Plain value={row.roles.join(', ')} />
export const ByCell = ({ row }: CellProps) => <Plain value={row.updated_by} />
export const UpdatedCell = ({ row }: CellProps) => <Moment at={row.updated_at} />

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
