import { Link } from '@tanstack/react-router'
import classes from './brand.module.css'

/** Logo and product name, linked to the start page. */
export function Brand({
  to,
  isShort = false,
}: {
  to: '/' | '/dashboard' | '/internal'
  /** On narrow screens only the logo; screen readers still read the name. */
  isShort?: boolean
}) {
  return (
    <Link to={to} className={classes.brand} data-short={isShort || undefined}>
      <BrandMark />
      <span>Custodia</span>
    </Link>
  )
}

/** The logo. */
export function BrandMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-blue-8)" />
      <path
        d="M8 14v4M12 11v10M16 7v18M20 11v10M24 14v4"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
        fill="none"
      />
    </svg>
  )
}
