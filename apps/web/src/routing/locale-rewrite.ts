import type { LocationRewrite } from '@tanstack/react-router'
import { localePrefix } from '../i18n/i18n.ts'
import { splitLocale } from '../i18n/locale.ts'

/** Routes have no language; addresses keep their prefix. */
export const localeRewrite: LocationRewrite = {
  input: ({ url }) => {
    url.pathname = splitLocale(url.pathname).path
    return url
  },
  output: ({ url }) => {
    const prefix = localePrefix()
    if (prefix !== undefined) url.pathname = url.pathname === '/' ? `/${prefix}` : `/${prefix}${url.pathname}`
    return url
  },
}
